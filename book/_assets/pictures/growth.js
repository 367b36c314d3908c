// The growth bounds of four structures at once.
(() => {
  "use strict";
  const T = window.treebounds;
  const { node, chain, complete, growth, detachment } = T.bounds;

  // On one feature the labels change at most as often along the sample as the tree has
  // nodes, and trees of every shape realize all of these labelings.
  const onALine = (t, m) =>
    Math.LN2 +
    T.logSum(Array.from({ length: t.leaves }, (_, j) => T.logBinomial(m - 1, j)));

  T.picture("growth", (live, data, width) => {
    const shapes = [
      ["stump", chain(1), "purple"],
      ["three leaves", chain(2), "blue"],
      ["five leaves", node(chain(2), chain(1)), "green"],
      ["eight leaves", complete(3), "orange"],
    ];
    const controls = T.controls(
      [
        {
          name: "features",
          label: "Features",
          min: 1,
          max: 1000,
          value: 10,
          whole: true,
          log: true,
        },
      ],
      () => draw(),
    );
    const box = T.html("div", { class: "results" }),
      said = T.html("p", { class: "hint results" });
    // Above the curves the slider is on the first screen, and no thumb covers them.
    live.append(controls.element, controls.message, box, said);
    let shown = {};
    function draw() {
      T.guarded(controls, live, () => {
        const { features: l } = controls.read(),
          w = Math.min(width(), 760),
          narrow = w < 520,
          h = narrow ? 330 : 350;
        shown = {};
        const span = 100,
          { x, y, parts } = T.axes(
            narrow ? w : w - 110,
            h,
            span,
            span,
            "examples",
            "bits: log₂ of the growth bound",
          );
        const lines = shapes.map(([name, t, color]) => {
          const bits = Array.from(
              { length: span },
              (_, i) =>
                (l === 1 ? onALine(t, i + 1) : growth(t, i + 1, l, 2)) / Math.LN2,
            ),
            upper = l === 1 ? t.leaves : detachment(t, l, 2);
          shown[name] = { bits, upper };
          const end = bits[span - 1];
          return { name, t, color, bits, upper, end };
        });
        // labels at the ends of the curves, apart from each other
        const places = lines.map(({ end }) => y(end) + 4);
        for (let i = 1; i < places.length; i++)
          places[i] = Math.min(places[i], places[i - 1] - 15);
        box.replaceChildren(
          T.canvas(
            w,
            h,
            `Bits of the growth bound against examples for four trees on ${l} features`,
            parts,
            T.line(x(0), y(0), x(span), y(span), { class: "mute-line dashed" }),
            T.text(x(narrow ? 46 : 62), y(narrow ? 57 : 70), "all 2ᵐ labelings", {
              class: "mute",
              "text-anchor": "end",
            }),
            lines
              .map(({ name, color, bits, upper }, i) => [
                T.path(
                  bits.map((b, j) => [x(j + 1), y(b)]),
                  { class: `${color}-line` },
                ),
                upper <= span
                  ? T.svg("circle", {
                      cx: x(upper),
                      cy: y(upper),
                      r: 4.5,
                      class: color,
                    })
                  : null,
                narrow
                  ? T.text(x(99), places[i] - 9, name, {
                      class: color,
                      "text-anchor": "end",
                    })
                  : T.text(x(span) + 8, places[i], name, { class: color }),
              ])
              .flat(),
          ),
        );
        said.textContent = `Up to the dot the bound allows every labeling: ${lines.map(({ name, upper }) => `${name} ${upper}`).join(", ")} examples.${l === 1 ? " On one feature the curves are exact, and the shape does not matter." : ""}`;
      });
    }
    draw();
    return {
      draw,
      set: (values) => {
        controls.set(values);
        draw();
      },
      shown: () => shown,
    };
  });
})();
