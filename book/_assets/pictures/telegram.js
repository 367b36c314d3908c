// A tree as a telegram: read in preorder, paid in nats, certified by the binomial tail.
(() => {
  "use strict";
  const T = window.treebounds;
  const COLORS = {
    confidence: "mute-fill",
    leaves: "purple",
    examples: "blue",
    shape: "amber",
    features: "green",
    sides: "mute-fill",
    labels: "orange",
  };

  // ---- what a message costs ---------------------------------------------------------

  function parts({ n_nodes: N, shape, sides, labels }, m, l) {
    return {
      leaves: Math.log(Math.PI ** 2 / 6) + 2 * Math.log(N + 1),
      examples: T.logBinomial(m, N),
      shape,
      features: N * Math.log(l),
      sides,
      labels,
    };
  }
  const sum = (values) => Object.values(values).reduce((a, b) => a + b, 0);

  // ---- 200 samples of coin flips ----------------------------------------------------

  const SAMPLES = 200,
    SIZE = 100,
    FEATURES = 10;
  // The best stump on coin flips: no feature tells anything, so each is a shuffled list
  // of labels.
  function bestOnNoise(random) {
    const labels = Array.from({ length: SIZE }, () => (random() < 0.5 ? 0 : 1)),
      ones = labels.reduce((a, b) => a + b, 0);
    let best = SIZE;
    for (let feature = 0; feature < FEATURES; feature++) {
      for (let i = SIZE - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [labels[i], labels[j]] = [labels[j], labels[i]];
      }
      let below = 0;
      for (let k = 1; k < SIZE; k++) {
        below += labels[k - 1];
        const wrong = below + (SIZE - k - (ones - below)); // low side 0, high side 1
        // The example that carries the threshold is not counted.
        const last = labels[k - 1];
        best = Math.min(best, wrong - last, SIZE - wrong - (1 - last));
      }
    }
    return best;
  }
  // The message of a stump: its number of leaves, its example, its feature, which side
  // has which label.
  const stumpLength = () =>
    Math.log(Math.PI ** 2 / 6) +
    2 * Math.log(2) +
    Math.log(SIZE) +
    Math.log(FEATURES) +
    Math.LN2;
  function noise(seed, delta) {
    const random = T.random(seed);
    return Array.from({ length: SAMPLES }, () => {
      const errors = bestOnNoise(random);
      return {
        errors,
        free: T.inversion(errors, SIZE - 1, Math.log(delta)),
        paid: T.inversion(errors, SIZE - 1, Math.log(delta) - stumpLength()),
      };
    });
  }

  T.picture("telegram", (live, data, width) => {
    const N = data.n_nodes,
      blocks = data.blocks,
      address = T.address("telegram");
    const waiting = blocks.reduce(
      (counts, block) => [...counts, counts[counts.length - 1] + (block.leaf ? -1 : 1)],
      [1],
    );
    let read = 0,
      unpaid = false,
      seed = 1,
      shown = null;

    // the telegram
    const strip = T.html("div", { class: "strip" }),
      sketch = T.html("div", {}),
      count = T.html("p", { role: "status" });
    const step = (to) => {
      read = T.clamp(to, 0, blocks.length);
      drawTelegram();
    };
    const next = T.button("Read the next block", () => step(read + 1));
    // the price
    const controls = T.controls(
      [
        {
          name: "examples",
          label: "Examples m",
          min: N + 1,
          max: 1000000,
          value: data.n_examples,
          whole: true,
          log: true,
        },
        {
          name: "errors",
          label: "Training errors",
          min: 0,
          max: (raw) => raw("examples") - N,
          value: data.n_errors,
          whole: true,
          log: true,
        },
        {
          name: "features",
          label: "Features",
          min: 1,
          max: 10000,
          value: data.n_features,
          whole: true,
          log: true,
        },
      ],
      () => {
        drawPrice();
        if (shown) address.write(controls.raw());
      },
    );
    const said = T.html("p", {}),
      chart = T.html("div", {}),
      results = T.html("div", { class: "results" }, said, chart);
    // the experiment
    const toggle = T.html(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        "data-toggle": "",
        onclick: () => {
          unpaid = !unpaid;
          seed += 1;
          drawNoise();
        },
      },
      "Forget to pay for the choice",
    );
    const again = T.button("200 new samples", () => {
        seed += 1;
        drawNoise();
      }),
      verdict = T.html("p", { role: "status" }),
      dots = T.html("div", {});
    live.append(
      T.html(
        "div",
        { class: "p-row" },
        next,
        T.button("Read all", () => step(blocks.length)),
        T.button("Start again", () => step(0)),
      ),
      strip,
      T.html("div", { class: "panels" }, sketch, count),
      controls.element,
      controls.message,
      results,
      T.html("div", { class: "p-row" }, toggle, again),
      verdict,
      dots,
    );

    function drawTelegram() {
      strip.replaceChildren(
        ...blocks.map((block, i) =>
          T.html(
            "span",
            { class: `block${i < read ? " read" : ""}${i === read - 1 ? " now" : ""}` },
            block.text,
          ),
        ),
      );
      count.replaceChildren(
        "Branches that wait for a subtree: ",
        T.html(
          "span",
          { class: "number big", "data-waiting": "" },
          String(waiting[read]),
        ),
        waiting[read]
          ? "."
          : ". No branch is open: the telegram ends here, without a full stop.",
      );
      next.setAttribute("aria-disabled", String(read === blocks.length));
      // the part of the tree that is known: open branches are dashed
      let at = 0;
      const decode = () => {
        const block = at < read ? blocks[at++] : null;
        return { block, ends: !block || block.leaf ? [] : [decode(), decode()] };
      };
      const { nodes, edges, leaves: across } = T.layout(decode(), ({ ends }) => ends);
      const w = Math.min(width(), 420),
        dx = Math.min(104, (w - 90) / Math.max(1, across - 1)),
        x = (n) => w / 2 + (n.x - (across - 1) / 2) * dx,
        y = (n) => 18 + 46 * n.depth;
      sketch.replaceChildren(
        T.canvas(
          w,
          46 * 3 + 40,
          `What is decoded after ${read} blocks`,
          edges.map(([a, b]) =>
            T.line(x(a), y(a), x(b), y(b), {
              class: `mute-line${b.item.block ? "" : " dashed"}`,
            }),
          ),
          nodes
            .map((n) => {
              const { block } = n.item;
              if (!block)
                return T.text(x(n), y(n) + 5, "?", {
                  "text-anchor": "middle",
                  class: "strong",
                });
              const mark = block.leaf
                ? T.svg("rect", {
                    x: x(n) - 7,
                    y: y(n) - 7,
                    width: 14,
                    height: 14,
                    class: block.label ? "orange" : "blue",
                  })
                : T.svg("circle", { cx: x(n), cy: y(n), r: 7, class: "mute-fill" });
              return [
                mark,
                T.text(x(n), y(n) + (block.leaf ? 21 : -11), block.short, {
                  "text-anchor": "middle",
                  class: "halo",
                }),
              ];
            })
            .flat(),
        ),
      );
    }

    function compute({ examples: m, errors: k, features: l }) {
      const cost = parts(data, m, l),
        length = sum(cost);
      return {
        cost,
        length,
        certificate: T.inversion(k, m - N, Math.log(data.delta) - length),
        test: T.inversion(k, m - N, Math.log(data.delta)),
      };
    }

    function drawPrice() {
      shown = null;
      T.guarded(controls, live, () => {
        const input = controls.read(),
          found = compute(input);
        shown = found;
        const { certificate, length } = found,
          majority = data.majority_error;
        said.replaceChildren(
          "The telegram costs ",
          T.html("span", { class: "number" }, `${T.fixed(length, 1)} nats`),
          `, with the confidence ${T.fixed(length - Math.log(data.delta), 1)}. Certificate: the tree errs on at most `,
          T.html(
            "span",
            { class: "number", "data-certificate": certificate },
            T.percent(Math.ceil(1000 * certificate) / 1000),
          ), // a smaller number would not be certified
          certificate < majority
            ? " of new cases, less than "
            : " of new cases, no less than ",
          `always naming the larger class (${T.percent(majority)}).`,
        );
        drawChart(input, found);
      });
    }

    function drawChart({ examples: m, errors: k }, { cost, length, certificate }) {
      const w = Math.min(width(), 760),
        narrow = w < 520,
        h = 340,
        n = m - N,
        depth = length - Math.log(data.delta);
      const box = { left: narrow ? 150 : 220, right: w - 12, top: 16, bottom: h - 40 };
      const maxX = Math.max(1.12 * Math.max(certificate, data.majority_error), 0.05),
        maxY = depth * 1.12;
      const x = (p) => box.left + (p / maxX) * (box.right - box.left),
        y = (nats) => box.top + (nats / maxY) * (box.bottom - box.top);
      const bar = [],
        names = { confidence: Math.log(1 / data.delta), ...cost };
      let from = 0,
        lastLabel = -Infinity;
      for (const [name, nats] of Object.entries(names)) {
        const top = y(from),
          bottom = y(from + nats);
        bar.push(
          T.svg("rect", {
            x: box.left - 34,
            y: top,
            width: 24,
            height: Math.max(0, bottom - top),
            class: COLORS[name],
            stroke: "var(--p-back)",
          }),
        );
        const place = Math.max((top + bottom) / 2 + 4, lastLabel + 13);
        lastLabel = place;
        bar.push(
          T.text(
            box.left - 40,
            place,
            narrow
              ? `${name} ${T.fixed(nats, 1)}`
              : `${name}: ${T.fixed(nats, 2)} nats`,
            { "text-anchor": "end" },
          ),
        );
        from += nats;
      }
      const logChoose = T.logBinomial(n, k),
        points = [],
        first = k / n;
      for (let i = 0; i <= 60; i++) {
        const p = first + ((maxX - first) * i) / 60;
        if (p <= 0 || p >= 1) {
          if (p <= 0) points.push([x(0), y(0)]);
          continue;
        }
        const nats = k === n ? 0 : -T.logTail(k, n, p, logChoose)[0];
        points.push([x(p), y(Math.max(0, nats))]);
        if (nats > maxY) break;
      }
      // the label of the certificate stands where neither the frame nor the other line
      // cuts it
      const over = x(data.majority_error) - x(certificate),
        toLeft =
          certificate > maxX / 2 ||
          (over > 0 && over < 130 && x(certificate) - box.left > 130);
      const clip = "telegram-clip",
        tick = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01].find((t) => maxX / t >= 3) ?? 0.01;
      chart.replaceChildren(
        T.canvas(
          w,
          h,
          `The nats of the message as a bar, beside the logarithm of the binomial tail; they meet at the certificate ${T.fixed(certificate, 4)}`,
          T.svg(
            "defs",
            {},
            T.svg(
              "clipPath",
              { id: clip },
              T.svg("rect", {
                x: box.left,
                y: box.top - 4,
                width: box.right - box.left,
                height: box.bottom - box.top + 8,
              }),
            ),
          ),
          T.line(box.left, box.top, box.right, box.top, { class: "axis" }),
          T.line(box.left, box.top, box.left, box.bottom, { class: "axis" }),
          Array.from({ length: Math.floor(maxX / tick) + 1 }, (_, i) => i * tick)
            .filter((v) => v <= 1)
            .map((v) =>
              T.text(x(v), box.bottom + 15, T.fixed(v, tick < 0.1 ? 2 : 1), {
                "text-anchor": "middle",
                class: "mute",
              }),
            ),
          T.text((box.left + box.right) / 2, h - 6, "risk", {
            "text-anchor": "middle",
          }),
          bar,
          T.svg(
            "g",
            { "clip-path": `url(#${clip})` },
            T.path(points, { class: "blue-line" }),
          ),
          T.line(box.left - 10, y(depth), x(certificate), y(depth), {
            class: "orange-line dashed",
          }),
          T.line(x(certificate), y(depth), x(certificate), box.bottom, {
            class: "orange-line",
          }),
          T.svg("circle", { cx: x(certificate), cy: y(depth), r: 5, class: "orange" }),
          T.line(x(data.majority_error), box.top, x(data.majority_error), box.bottom, {
            class: "green-line dashed",
          }),
          T.text(x(data.majority_error) - 6, box.top + 16, "larger class", {
            "text-anchor": "end",
            class: "green",
          }),
          T.text(
            x(certificate) + (toLeft ? -8 : 8),
            box.bottom - 8,
            `${narrow ? "" : "certificate "}${T.fixed(certificate, 3)}`,
            { "text-anchor": toLeft ? "end" : "start", class: "orange strong halo" },
          ),
          T.text(
            Math.min(x(first) + (narrow ? 24 : 60), box.right - (narrow ? 40 : 130)),
            box.top + 40,
            narrow ? "ln P" : "ln P[so few errors]",
            { class: "blue" },
          ),
        ),
      );
    }

    function drawNoise() {
      const runs = noise(seed, data.delta),
        key = unpaid ? "free" : "paid",
        bad = runs.filter((run) => run[key] < 0.5).length;
      toggle.setAttribute("aria-pressed", String(unpaid));
      verdict.replaceChildren(
        `The best stump on ${SIZE} coin flips with ${FEATURES} features, ${SAMPLES} times; its risk is exactly one half. ${unpaid ? "Without a price for the choice" : "With the price of the choice"}, the bound is below the risk in `,
        T.html("span", { class: "number", "data-violations": "" }, String(bad)),
        ` of ${SAMPLES} samples; at most ${Math.round(data.delta * SAMPLES)} are promised in the mean.`,
      );
      const w = Math.min(width(), 760),
        h = 156,
        base = h - 40,
        x = (p) => 14 + ((p - 0.2) / 0.8) * (w - 28),
        columns = new Map();
      const stacked = runs.map((run) => {
        const bin = Math.round(x(run[key]) / 7),
          level = columns.get(bin) ?? 0;
        columns.set(bin, level + 1);
        return { run, bin, level };
      });
      const rise = Math.min(6.2, (base - 28) / Math.max(...columns.values()));
      dots.replaceChildren(
        T.canvas(
          w,
          h,
          `${bad} of ${SAMPLES} bounds are below one half`,
          stacked.map(({ run, bin, level }) =>
            T.svg("circle", {
              cx: bin * 7,
              cy: base - 5 - level * rise,
              r: Math.min(3, rise * 0.6),
              class: run[key] < 0.5 ? "orange" : "green",
            }),
          ),
          T.line(10, base, w - 10, base, { class: "axis" }),
          T.line(x(0.5), 4, x(0.5), base, { class: "mute-line dashed" }),
          [0.2, 0.4, 0.6, 0.8, 1].map((v) =>
            T.text(x(v), base + 16, v, { "text-anchor": "middle", class: "mute" }),
          ),
          T.text(w / 2, h - 6, "the bound, one dot for each sample", {
            "text-anchor": "middle",
          }),
          T.text(x(0.5) + 5, 14, "the risk", { class: "mute" }),
        ),
      );
      return runs;
    }

    const draw = () => {
      drawTelegram();
      drawPrice();
      drawNoise();
    };
    draw();
    address.follow((state) => {
      controls.set(state);
      drawPrice();
    });
    return {
      draw,
      waiting,
      set: (values) => {
        controls.set(values);
        drawPrice();
        return shown;
      },
      noise: () => ({
        runs: noise(seed, data.delta),
        size: SIZE,
        length: stumpLength(),
      }),
    };
  });
})();
