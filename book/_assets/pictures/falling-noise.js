// The noise found from above: an estimate of it sets the price of a leaf, the price
// prunes the tree, and what the tree leaves is the next estimate. The reader moves the
// estimate, or takes a round.
(() => {
  "use strict";
  const T = window.treebounds;
  const HEIGHT = 300,
    SAMPLES = 400;

  const nats = (set, leaves) => set.nats[Math.min(leaves, set.m) - 1];

  // The pruning with the smallest SSE + 2 K s^2 ln M_L, of several the smallest tree;
  // its price of a leaf; the next estimate.
  function round(set, noise) {
    let step = 0,
      least = Infinity;
    set.leaves.forEach((leaves, i) => {
      const cost = set.squared[i] + 2 * set.factor * noise * nats(set, leaves);
      if (cost <= least) {
        least = cost;
        step = i;
      }
    });
    const leaves = set.leaves[step],
      squared = set.squared[step],
      freedom = set.m - leaves,
      larger = Math.min(leaves + 1, set.m);
    return {
      noise,
      step,
      leaves,
      squared,
      least,
      price:
        set.m > 1
          ? 2 * set.factor * noise * (nats(set, larger) - nats(set, larger - 1))
          : 0,
      next: freedom > 0 ? squared / freedom : NaN,
    };
  }

  // The rounds from an estimate on, as long as the estimates fall.
  function rounds(set, noise) {
    const all = [round(set, noise)];
    for (let last = all[0]; last.next < last.noise; last = all[all.length - 1])
      all.push(round(set, last.next));
    return all;
  }

  // Ticks at 1, 2 and 5 times powers of ten: all of them on a logarithmic scale, evenly
  // spaced ones on a linear scale.
  function ticksOf({ low, high, log, count }) {
    if (log) {
      const all = [];
      for (
        let power = Math.floor(Math.log10(low));
        power <= Math.log10(high);
        power++
      ) {
        for (const f of [1, 2, 5]) all.push(Number(`${f}e${power}`));
      }
      return all.filter((v) => v >= low && v <= high);
    }
    const unit = 10 ** Math.floor(Math.log10((high - low) / count)),
      step = [1, 2, 5, 10].map((f) => f * unit).find((s) => (high - low) / s <= count);
    const first = Math.ceil(low / step),
      last = Math.floor(high / step);
    return Array.from({ length: last - first + 1 }, (_, i) =>
      Number(((first + i) * step).toPrecision(6)),
    );
  }

  // The axes of a plot: its scales, which keep values inside, and what is drawn.
  function axes(w, across, up) {
    const box = { left: 46, right: w - 10, top: 10, bottom: HEIGHT - 38 };
    const scale = (axis, from, to) => {
      const at = axis.log ? Math.log : (v) => v;
      return (v) =>
        from +
        ((at(T.clamp(v, axis.low, axis.high)) - at(axis.low)) /
          (at(axis.high) - at(axis.low))) *
          (to - from);
    };
    const x = scale(across, box.left, box.right),
      y = scale(up, box.bottom, box.top),
      middle = (box.top + box.bottom) / 2;
    return {
      x,
      y,
      parts: [
        ticksOf(up)
          .map((v) => [
            T.line(box.left, y(v), box.right, y(v), { class: "grid" }),
            T.text(box.left - 6, y(v) + 4, v, { "text-anchor": "end", class: "mute" }),
          ])
          .flat(),
        ticksOf(across).map((v) =>
          T.text(x(v), box.bottom + 15, v, { "text-anchor": "middle", class: "mute" }),
        ),
        T.line(box.left, box.bottom, box.right, box.bottom, { class: "axis" }),
        T.line(box.left, box.top, box.left, box.bottom, { class: "axis" }),
        T.text((box.left + box.right) / 2, HEIGHT - 6, across.label, {
          "text-anchor": "middle",
        }),
        T.text(11, middle, up.label, {
          "text-anchor": "middle",
          transform: `rotate(-90 11 ${middle})`,
        }),
      ].flat(),
    };
  }

  T.picture("falling-noise", (live, data, width) => {
    const names = Object.keys(data),
      address = T.address("falling-noise");
    for (const set of Object.values(data)) {
      set.path = rounds(set, set.start);
      const last = set.path[set.path.length - 1];
      Object.assign(set, {
        low: Number((last.noise / 8).toPrecision(2)),
        high: Number((set.start * 1.15).toPrecision(2)),
        last,
      });
      set.curve = Array.from({ length: SAMPLES + 1 }, (_, i) =>
        round(set, set.low * (set.high / set.low) ** (i / SAMPLES)),
      );
    }
    const shown4 = (value) => Number(value.toPrecision(4));
    let name = names[0],
      exact = data[name].start,
      current = null;

    const choice = T.choice(
      "Data set",
      Object.fromEntries(names.map((key) => [key, key])),
      name,
      (key) => {
        name = key;
        take(data[key].start);
      },
    );
    const controls = T.controls(
      [
        {
          name: "noise",
          label: "Estimate s² of the noise",
          min: () => data[name].low,
          max: () => data[name].high,
          value: shown4(exact),
          log: true,
        },
      ],
      () => changed(),
    );
    const take = (noise) => {
      exact = noise;
      controls.set({ noise: shown4(noise) });
      changed();
    };
    const next = T.button(
      "Next round",
      () => {
        if (current && current.next < current.noise) take(current.next);
      },
      { "data-next": "" },
    );
    const start = T.button("From the root", () => take(data[name].start), {
      "data-start": "",
    });
    const said = T.html("p", { class: "results", "data-said": "" }),
      verdict = T.html("p", { class: "results", "data-verdict": "", role: "status" });
    const tree = T.html("div", {}),
      plot = T.html("div", {}),
      panels = T.html("div", { class: "panels results" }, tree, plot);
    live.append(
      T.html("div", { class: "p-row" }, choice.element, next, start),
      controls.element,
      controls.message,
      said,
      verdict,
      panels,
    );

    // The field shows four digits; the estimate of a round has all of them.
    function estimate() {
      const { noise } = controls.read();
      return noise === shown4(exact) ? exact : noise;
    }

    function drawPoints({ points: { x: xs, y: ys, predicted } }, { step, leaves }) {
      const w = Math.min(width(), tree.clientWidth || width()),
        low = Math.min(...ys),
        high = Math.max(...ys),
        margin = 0.06 * (high - low);
      const { x, y, parts } = axes(
        w,
        { low: xs[0], high: xs[xs.length - 1], count: 5, label: "x" },
        { low: low - margin, high: high + margin, count: 6, label: "y" },
      );
      const line = [],
        values = predicted[step];
      values.forEach((value, i) => {
        const from = i ? (xs[i - 1] + xs[i]) / 2 : xs[0],
          to = i + 1 < xs.length ? (xs[i] + xs[i + 1]) / 2 : xs[i];
        line.push([x(from), y(value)], [x(to), y(value)]);
      });
      tree.replaceChildren(
        T.canvas(
          w,
          HEIGHT,
          `The points, and the prediction of the tree with ${leaves} ${leaves === 1 ? "leaf" : "leaves"}`,
          parts,
          xs.map((value, i) =>
            T.svg("circle", { cx: x(value), cy: y(ys[i]), r: 3.2, class: "mute-fill" }),
          ),
          T.path(line, { class: "blue-line" }),
        ),
      );
    }

    function drawSequence(set, { noise, leaves, squared, least }) {
      const w = Math.min(width(), tree.clientWidth || width()),
        most = Math.min(
          set.m,
          Math.ceil(Math.max(2.5 * set.last.leaves, 1.25 * leaves)),
        );
      const root = set.squared[set.squared.length - 1] / set.m;
      const { x, y, parts } = axes(
        w,
        { low: 0, high: most, count: w < 380 ? 5 : 7, label: "leaves" },
        { low: 0, high: 1.05 * root, count: 6, label: "squared error per example" },
      );
      const line = set.leaves
        .map((n, i) => [n, set.squared[i] / set.m])
        .filter(([n]) => n <= most);
      const equal = Array.from({ length: most }, (_, i) => [
        i + 1,
        (least - 2 * set.factor * noise * nats(set, i + 1)) / set.m,
      ]).filter(([, v]) => v >= 0 && v <= 1.05 * root);
      tree.replaceChildren(
        T.canvas(
          w,
          HEIGHT,
          `Squared errors of the prunings, and the curve of equal cost that touches them at ${leaves} leaves`,
          parts,
          T.path(
            line.map(([n, v]) => [x(n), y(v)]),
            { class: "mute-line" },
          ),
          T.path(
            equal.map(([n, v]) => [x(n), y(v)]),
            { class: "blue-line" },
          ),
          T.svg("circle", {
            cx: x(leaves),
            cy: y(squared / set.m),
            r: 6,
            class: "blue",
          }),
        ),
      );
    }

    function drawRounds(set) {
      const w = Math.min(width(), plot.clientWidth || width()),
        axis = { low: set.low, high: set.high, log: true };
      const { x, y, parts } = axes(
        w,
        { ...axis, label: "estimate s²" },
        { ...axis, label: "next estimate" },
      );
      const parted = [[]]; // No curve where each example has its own leaf.
      set.curve.forEach(({ noise, next: value }) => {
        const part = parted[parted.length - 1];
        if (!(value >= set.low)) {
          if (part.length) parted.push([]);
          return;
        }
        if (part.length) part.push([x(noise), part[part.length - 1][1]]);
        part.push([x(noise), y(value)]);
      });
      const stairs = rounds(set, current.noise)
        .filter((r) => r.next >= set.low)
        .flatMap((r) => [
          [x(r.noise), y(r.next)],
          [x(r.next), y(r.next)],
        ]);
      const from = [[x(current.noise), y(set.low)]],
        dot = current.next >= set.low;
      plot.replaceChildren(
        T.canvas(
          w,
          HEIGHT,
          "For each estimate the next one, the diagonal, and the rounds from here on",
          parts,
          T.line(x(set.low), y(set.low), x(set.high), y(set.high), {
            class: "mute-line",
          }),
          set.truth >= set.low
            ? [
                T.line(x(set.truth), y(set.low), x(set.truth), y(set.high), {
                  class: "green-line dashed",
                }),
                T.text(x(set.truth) + 5, y(set.high) + 12, "true variance", {
                  class: "halo",
                }),
              ]
            : [],
          parted
            .filter((part) => part.length > 1)
            .map((part) => T.path(part, { class: "blue-line" })),
          T.path([...from, ...stairs], { class: "orange-line" }),
          T.svg("circle", {
            cx: x(current.noise),
            cy: dot ? y(current.next) : y(set.low),
            r: 6,
            class: "orange",
          }),
        ),
      );
    }

    function say(set, { noise, leaves, squared, price, next: after }) {
      const number = (value, digits) =>
        T.html("span", { class: "number" }, T.fixed(value, digits));
      const digits = (value) => (value >= 100 ? 0 : 2),
        many = `${leaves} ${leaves === 1 ? "leaf" : "leaves"}`;
      said.replaceChildren(
        "At s² = ",
        number(noise, 3),
        " the best pruning has ",
        T.html("span", { class: "number" }, many),
        `, and squared errors of ${T.fixed(squared, digits(squared))}. `,
        leaves < set.m ? "One more leaf would have to save " : "",
        leaves < set.m ? number(price, digits(price)) : "",
        leaves < set.m ? "." : "",
      );
      const sum = `The next estimate is ${T.fixed(squared, digits(squared))} / (${set.m} − ${leaves}) = ${T.fixed(after, 3)}`;
      if (!Number.isFinite(after))
        verdict.textContent =
          "Each example has its own leaf: nothing is left from which the noise could be estimated.";
      else if (after < noise)
        verdict.textContent = `${sum}. It falls, so there is another round.`;
      else verdict.textContent = `${sum}. It does not fall, so the rounds end here.`;
    }

    function draw() {
      const set = data[name];
      current = null;
      T.guarded(controls, live, () => {
        current = round(set, estimate());
        say(set, current);
        if (set.points) drawPoints(set, current);
        else drawSequence(set, current);
        drawRounds(set);
      });
      next.setAttribute(
        "aria-disabled",
        String(!(current && current.next < current.noise)),
      );
    }
    function changed() {
      draw();
      choice.set(name);
      if (current)
        address.write({ set: name, noise: live.querySelector("[name=noise]").value });
    }
    function fromAddress(state) {
      let problem = "";
      if (Object.hasOwn(data, state.set ?? "")) name = state.set;
      else if (state.set)
        problem = `There is no data set "${state.set}" here; this is ${name}`;
      exact = data[name].start;
      controls.set({ noise: state.noise ?? shown4(exact) });
      choice.set(name);
      draw();
      if (problem && current) controls.message.textContent = `${problem}.`;
    }
    draw();
    address.follow(fromAddress);
    return {
      draw,
      set: ({ set = name, noise = data[set].start }) => {
        name = set;
        take(noise);
        return current;
      },
      shown: () => current,
      path: () => rounds(data[name], data[name].start),
    };
  });
})();
