// The calculator: bounds of one tree structure, computed as the reader shapes it.
(() => {
  "use strict";
  const T = window.treebounds;
  const {
    MAX_LEAVES,
    node,
    chain,
    complete,
    write,
    parse,
    structureOf,
    drawnOf,
    nested,
    logAll,
    closed,
    series,
    table,
    growth,
    detachment,
    compute,
  } = T.bounds;

  // ---- drawings ---------------------------------------------------------------------

  const place = (drawn) => T.layout(drawn, (tree) => tree ?? []);
  function glyph(drawn, size = 30) {
    const { nodes, edges, leaves, height } = place(drawn);
    const dx = Math.min(9, size / Math.max(1, leaves - 1)),
      dy = Math.min(9, (size - 8) / Math.max(1, height));
    const x = (n) => size / 2 + 4 + (n.x - (leaves - 1) / 2) * dx,
      y = (n) => 5 + n.depth * dy;
    return T.svg(
      "svg",
      {
        viewBox: `0 0 ${size + 8} ${size}`,
        width: size + 8,
        height: size,
        "aria-hidden": "true",
      },
      edges.map(([a, b]) => T.line(x(a), y(a), x(b), y(b), { class: "mute-line" })),
      leaves > 12
        ? []
        : nodes.map((n) =>
            T.svg("circle", {
              cx: x(n),
              cy: y(n),
              r: n.leaf ? 2 : 2.6,
              class: n.leaf ? "mute-fill" : "blue",
            }),
          ),
    );
  }

  const GALLERY = {
    Leaf: null,
    Stump: drawnOf(chain(1)),
    "Chain of 4": drawnOf(chain(4)),
    "Four leaves": drawnOf(complete(2)),
    "Eight leaves": drawnOf(complete(3)),
    "Chain of 16": drawnOf(chain(16)),
    "32 leaves": drawnOf(complete(5)),
    "Chain of 40": drawnOf(chain(40)),
  };

  T.picture("calculator", (live, data, width) => {
    const start = {
      features: 10,
      classes: 2,
      examples: 10000,
      errors: 20,
      exponent: 5,
    };
    let drawn = GALLERY.Stump,
      notice = null;
    const known = data?.exact ?? {};
    const address = T.address("calculator");
    const controls = T.controls(
      [
        {
          name: "features",
          label: "Features",
          min: 1,
          max: 10000,
          value: start.features,
          whole: true,
          log: true,
        },
        {
          name: "examples",
          label: "Examples",
          min: 1,
          max: 1000000,
          value: start.examples,
          whole: true,
          log: true,
        },
        {
          name: "classes",
          label: "Classes",
          min: 2,
          max: 100,
          value: start.classes,
          whole: true,
          log: true,
        },
        {
          name: "errors",
          label: "Training errors",
          min: 0,
          max: (raw) => raw("examples"),
          value: start.errors,
          whole: true,
          log: true,
        },
        {
          name: "exponent",
          label: "Exponent x of the error prior",
          min: 0.1,
          max: 60,
          value: start.exponent,
          log: true,
        },
      ],
      () => changed(),
    );
    const treeBox = T.html("div", { class: "tree" }),
      plotBox = T.html("div", { class: "growth results" }),
      results = T.html("div", { class: "results" });
    const riskBox = T.html("div", { class: "risk" }),
      factBox = T.html("div", { "aria-live": "off" });
    results.append(riskBox, factBox);
    const gallery = T.html(
      "div",
      { class: "p-row", role: "group", "aria-label": "Shapes" },
      Object.entries(GALLERY).map(([name, shape]) =>
        T.html(
          "button",
          {
            type: "button",
            title: name,
            "aria-label": name,
            class: "shape",
            onclick: () => {
              drawn = shape;
              changed();
            },
          },
          glyph(shape),
        ),
      ),
    );
    live.append(
      gallery,
      T.html(
        "div",
        { class: "panels" },
        T.html(
          "div",
          {},
          T.html(
            "p",
            { class: "hint" },
            "Press a leaf to split it, a node to prune it.",
          ),
          treeBox,
        ),
        plotBox,
      ),
      controls.element,
      controls.message,
      results,
    );

    function edit(path) {
      const at = (t, rest) => {
        if (!rest) {
          if (!t && structureOf(drawn).leaves >= MAX_LEAVES)
            throw T.wrong("t", `The tree may have up to ${MAX_LEAVES} leaves here`);
          return t ? null : [null, null];
        }
        return rest[0] === "0"
          ? [at(t[0], rest.slice(1)), t[1]]
          : [t[0], at(t[1], rest.slice(1))];
      };
      try {
        drawn = at(drawn, path);
        changed();
      } catch (error) {
        if (!error.field) throw error;
        // What is shown still belongs to the tree that is there.
        controls.message.textContent = `${error.message}.`;
      }
    }

    let treeKey = "";
    function drawTree() {
      const w = Math.min(width(), treeBox.clientWidth || width()),
        h = 210;
      if (treeKey === `${write(drawn)} ${w}`) return;
      treeKey = `${write(drawn)} ${w}`;
      const { nodes, edges, leaves, height } = place(drawn);
      const dx = Math.min(44, (w - 40) / Math.max(1, leaves - 1)),
        dy = Math.min(44, (h - 36) / Math.max(1, height));
      const r = T.clamp(Math.min(dx, 2 * dy) * 0.3, 2.2, 8.5);
      const x = (n) => w / 2 + (n.x - (leaves - 1) / 2) * dx,
        y = (n) => 18 + n.depth * dy;
      // Preorder, also the order of the keyboard.
      const order = [...nodes].sort((a, b) => (a.path < b.path ? -1 : 1));
      let count = 0;
      T.refill(
        treeBox,
        T.canvas(
          w,
          Math.max(60, Math.min(h, 40 + height * dy)),
          "The tree",
          edges.map(([a, b]) => T.line(x(a), y(a), x(b), y(b), { class: "mute-line" })),
          order.map((n) =>
            T.pressable(
              {
                "data-key": n.path || "root",
                "data-path": n.path,
                "aria-label": n.leaf
                  ? `Leaf ${++count} of ${leaves}: split it`
                  : `Node${n.path ? "" : " at the root"}: prune it to a leaf`,
              },
              () => edit(n.path),
              T.svg("circle", {
                cx: x(n),
                cy: y(n),
                r: Math.min(22, Math.max(r + 3, dx / 2)),
                fill: "transparent",
              }),
              n.leaf
                ? T.svg("rect", {
                    x: x(n) - r,
                    y: y(n) - r,
                    width: 2 * r,
                    height: 2 * r,
                    class: "open blue-line",
                  })
                : T.svg("circle", { cx: x(n), cy: y(n), r, class: "blue" }),
            ),
          ),
        ),
      );
    }

    function drawPlot(t, { features: l, classes: n }, facts) {
      const leaves = detachment(t, l, n),
        span = Math.max(12, Math.ceil(2.2 * leaves)),
        bits = (nats) => nats / Math.LN2;
      const panel = live.querySelector(".growth").clientWidth || width(),
        w = Math.min(panel, 560),
        h = 260;
      const top = bits(logAll(span, n));
      const { x, y, parts } = T.axes(w, h, span, top, "examples", "bits");
      const step = Math.max(1, Math.floor(span / 60)),
        points = [];
      points.push([x(0), y(0)]); // up to the dot the diagonal
      for (let m = leaves; m <= span; m += m < leaves + 20 ? 1 : step)
        points.push([x(m), y(bits(growth(t, m, l, n)))]);
      const all = n === 2 ? "all 2ᵐ labelings" : `all ${n}ᵐ labelings`;
      const dot = y(bits(logAll(leaves, n)));
      plotBox.replaceChildren(
        T.canvas(
          w,
          h,
          `Growth bound in bits against examples; it leaves the diagonal of all labelings at ${leaves} examples`,
          parts,
          T.line(x(0), y(0), x(span), y(top), { class: "mute-line dashed" }),
          T.text(x(span) - 4, y(top) + 8, all, {
            "text-anchor": "end",
            class: "mute",
            dx: -14,
          }),
          T.path(points, { class: "blue-line" }),
          n === 2
            ? T.svg("path", { d: `M${x(facts.lower)} ${y(0)}v-9`, class: "green-line" })
            : null,
          T.svg("circle", { cx: x(leaves), cy: dot, r: 5.5, class: "orange" }),
          T.text(x(leaves) + 10, dot + 14, `${leaves} examples`, { class: "strong" }),
        ),
      );
      return leaves;
    }

    function drawRisk(forms, { errors, examples }) {
      const w = Math.min(width(), 760),
        rows = [
          ["this shape", forms.shape[1]],
          ["any shape", forms.series[1]],
        ];
      const scale = 1.25,
        x = (v) => 6 + (Math.min(v, scale) / scale) * (w - 12);
      riskBox.replaceChildren(
        T.canvas(
          w,
          106,
          "The bounds of the risk as bars, with a mark at 1",
          rows.flatMap(([name, value], i) => {
            const y = 22 + 40 * i,
              wide = value > scale;
            return [
              T.text(
                6,
                y - 5,
                `Risk bound, ${name}: ${T.fixed(value, 3)}${value >= 1 ? " (above 1: empty)" : ""}`,
                { class: "strong" },
              ),
              T.svg("rect", {
                x: 6,
                y,
                width: Math.max(1, x(value) - 6),
                height: 15,
                class: value < 1 ? "blue" : "pale",
              }),
              wide ? T.text(w - 8, y + 12, "→", { "text-anchor": "end" }) : null,
            ];
          }),
          [22, 62].map((y) =>
            T.line(x(1), y - 3, x(1), y + 18, { class: "orange-line thick" }),
          ),
          T.text(x(1), 98, "1", { "text-anchor": "middle", class: "strong" }),
          [22, 62].map((y) =>
            T.line(x(errors / examples), y - 2, x(errors / examples), y + 17, {
              class: "green-line",
            }),
          ),
          T.text(
            Math.min(x(errors / examples), w - 110),
            98,
            `training error ${T.fixed(errors / examples, 4)}`,
            {
              "text-anchor": x(errors / examples) < 70 ? "start" : "middle",
              class: "mute",
            },
          ),
        ),
      );
    }

    const FORMS = {
      shape: "this shape: the recursion",
      closed: "this shape: the closed form",
      series: "all shapes with as many leaves: the series",
    };
    function showFacts(t, input, found, leaves) {
      const l = input.features,
        exact =
          l === 1 || found.lower === found.upper
            ? found.lower
            : known[`${nested(t)}|${l}`];
      const row = (name, [nats, epsilon]) =>
        T.html(
          "tr",
          { "data-form": name, "data-nats": nats, "data-epsilon": epsilon },
          T.html("th", { scope: "row" }, FORMS[name]),
          T.html("td", {}, T.fixed(nats, 3)),
          T.html("td", {}, T.fixed(epsilon, 4)),
        );
      const fact = (name) =>
        T.html(
          "span",
          { class: "number", "data-fact": name },
          String({ ...found, exact }[name]),
        );
      factBox.replaceChildren(
        T.html(
          "p",
          {},
          fact("leaves"),
          found.leaves === 1 ? " leaf, height " : " leaves, height ",
          fact("height"),
          ", symmetric nodes ",
          fact("symmetric"),
          ". VC dimension: at least ",
          fact("lower"),
          " (green tick), at most ",
          fact("upper"),
          exact === undefined ? "." : ["; exactly ", fact("exact"), "."],
        ),
        T.html(
          "table",
          {},
          T.html(
            "thead",
            {},
            T.html(
              "tr",
              {},
              T.html("th", { scope: "col" }, "Bound"),
              T.html("th", { scope: "col" }, "growth, nats"),
              T.html("th", { scope: "col" }, "risk bound"),
            ),
          ),
          T.html(
            "tbody",
            {},
            Object.entries(found.forms).map(([name, values]) => row(name, values)),
          ),
        ),
        input.classes === 2
          ? ""
          : T.html(
              "p",
              { class: "hint" },
              `With ${input.classes} classes the dot marks where the bound leaves the labelings with ${input.classes} classes: ${leaves} examples.`,
            ),
      );
    }

    function draw() {
      drawTree();
      const message = notice;
      const fine = T.guarded(controls, live, () => {
        const input = controls.read(),
          t = structureOf(drawn),
          found = compute(t, input);
        const leaves = drawPlot(t, input, found);
        drawRisk(found.forms, input);
        showFacts(t, input, found, leaves);
      });
      if (fine && message) controls.message.textContent = `${message}.`;
      return fine;
    }
    function changed() {
      notice = null;
      if (draw()) address.write({ t: write(drawn), ...controls.raw() });
    }

    function fromAddress({ t, ...values }) {
      notice = null;
      controls.set(values);
      try {
        const there = t === undefined ? drawn : parse(t);
        if (structureOf(there).leaves > MAX_LEAVES)
          throw T.wrong(
            "t",
            `The tree in the address has more than ${MAX_LEAVES} leaves`,
          );
        drawn = there;
      } catch (error) {
        notice = error.field
          ? `${error.message}; this is another tree`
          : "The tree in the address is too deep; this is another tree";
      }
      draw();
    }
    draw();
    address.follow(fromAddress);
    return {
      draw,
      set: ({ t, ...values }) => {
        if (t !== undefined) drawn = parse(t);
        controls.set(values);
        changed();
      },
      compute: (t, values) => compute(structureOf(parse(t)), values),
    };
  });
})();
