// What "with probability 95 %" means: test sets are drawn from a truth that the reader
// chooses, and the limits that lie below it are counted. If several trees are judged
// and the best one's limit is quoted, each has to pay for the choice.
(() => {
  "use strict";
  const T = window.treebounds;
  const HEIGHT = 260,
    SHOWN = 100,
    MOST = 10000,
    DELTA = 0.05;

  // P[Bin(n, p) <= k] for k = 0, ..., n.
  function cumulated(n, p) {
    let sum = 0;
    return Array.from({ length: n + 1 }, (_, k) => {
      sum += Math.exp(T.logBinomial(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
      return Math.min(1, sum);
    });
  }

  // The limits for 0, 1, ..., n errors, and how often the smallest limit of some
  // independent trees lies below the risk.
  function judge({ risk, examples, trees, paid }) {
    const level = paid ? DELTA / trees : DELTA,
      tails = cumulated(examples, risk);
    const limits = Array.from({ length: examples + 1 }, (_, k) =>
      T.inversion(k, examples, Math.log(level)),
    );
    const isFalse = limits.map((limit) => limit < risk),
      alone = isFalse[0] ? tails[isFalse.lastIndexOf(true)] : 0;
    return {
      level,
      tails,
      limits,
      isFalse,
      alone,
      share: -Math.expm1(trees * Math.log1p(-alone)),
    };
  }

  // The errors of the best tree on one test set.
  function fewest(random, tails, trees) {
    let least = tails.length - 1;
    for (let i = 0; i < trees; i++) {
      const u = random();
      let low = 0,
        high = least; // the first k whose tail is above u
      while (low < high) {
        const middle = (low + high) >> 1;
        if (tails[middle] > u) high = middle;
        else low = middle + 1;
      }
      least = low;
    }
    return least;
  }

  T.picture("test-sets", (live, data, width) => {
    const address = T.address("test-sets");
    let paid = false,
      random = null,
      errors = [],
      law = null;
    const controls = T.controls(
      [
        { name: "risk", label: "True risk", min: 0.01, max: 0.5, value: 0.1 },
        {
          name: "examples",
          label: "Test cases",
          min: 10,
          max: 1000,
          value: 100,
          whole: true,
          log: true,
        },
        {
          name: "trees",
          label: "Trees judged",
          min: 1,
          max: 50,
          value: 1,
          whole: true,
          log: true,
        },
      ],
      () => changed(),
    );
    const pay = T.choice(
      "Confidence",
      { no: "δ = 5\u202f% for each tree", yes: "δ divided by the trees" },
      "no",
      (key) => {
        paid = key === "yes";
        changed();
      },
    );
    const more = [1, SHOWN].map((n) =>
      T.button(
        n === 1 ? "One more test set" : `${n} more`,
        () => {
          if (law) {
            drawSets(n);
            show();
          }
        },
        { "data-more": n },
      ),
    );
    const said = T.html("p", { class: "results", "data-said": "", role: "status" }),
      last = T.html("p", { class: "results", "data-last": "" });
    const plot = T.html("div", { class: "results" });
    live.append(
      controls.element,
      T.html(
        "div",
        { class: "p-row" },
        pay.element,
        more,
        T.button("Start again", () => changed(), { "data-again": "" }),
      ),
      controls.message,
      said,
      last,
      plot,
    );

    function drawSets(count) {
      const { trees } = controls.read();
      for (let i = 0; i < count && errors.length < MOST; i++)
        errors.push(fewest(random, law.tails, trees));
      more.forEach((button) =>
        button.setAttribute("aria-disabled", String(errors.length >= MOST)),
      );
    }

    function show() {
      const { risk, examples, trees } = controls.read(),
        { limits, isFalse, share } = law;
      const bad = errors.filter((k) => isFalse[k]).length,
        k = errors[errors.length - 1],
        many = errors.length === 1 ? "test set" : "test sets";
      const number = (value, attributes = {}) =>
        T.html("span", { class: "number", ...attributes }, value);
      said.replaceChildren(
        "The limit lies below the risk for ",
        number(String(bad), { "data-false": "" }),
        ` of ${errors.length} ${many}, and for `,
        number(T.percent(share), { "data-share": share }),
        " in the long run. ",
        paid || trees === 1
          ? `At most ${T.percent(DELTA, 0)} are promised.`
          : T.html(
              "strong",
              {},
              `Nothing is promised for the best of ${trees} trees, each with a limit at ${T.percent(DELTA, 0)}.`,
            ),
      );
      // A smaller number would not be certified.
      const limit = Math.ceil(1000 * limits[k]) / 1000;
      last.replaceChildren(
        `The last one: ${trees === 1 ? "the tree makes" : `the best of ${trees} trees makes`} ${k} ${k === 1 ? "error" : "errors"} on ${examples} cases, so one says "at most `,
        number(T.percent(limit)),
        `". The truth is ${T.percent(risk)}: the sentence is ${isFalse[k] ? "false" : "true"}.`,
      );
      drawPlot(risk);
    }

    function drawPlot(risk) {
      const from = Math.max(0, errors.length - SHOWN),
        shown = errors.slice(from).map((k) => law.limits[k]);
      const w = Math.min(width(), 760),
        top = 112 * Math.max(risk, ...shown);
      const { x, y, parts } = T.axes(
        w,
        HEIGHT,
        SHOWN,
        top,
        from
          ? `the last ${SHOWN} of ${errors.length} test sets`
          : "test sets, one after the other",
        "limit, %",
      );
      const dots = shown.map((limit, i) =>
        T.svg("circle", {
          cx: x(i + 0.5),
          cy: y(100 * limit),
          r: i === shown.length - 1 ? 5.5 : w < 420 ? 2.4 : 3.2,
          class: limit < risk ? "orange" : "blue",
        }),
      );
      plot.replaceChildren(
        T.canvas(
          w,
          HEIGHT,
          `The limits of ${shown.length} test sets, ${shown.filter((limit) => limit < risk).length} of them below the risk`,
          parts,
          T.line(x(0), y(100 * risk), x(SHOWN), y(100 * risk), {
            class: "green-line dashed",
          }),
          dots,
          T.text(x(SHOWN), y(0) - 7, "dashed: the true risk", { "text-anchor": "end" }),
        ),
      );
    }

    // New numbers: the same coins are thrown again, so that a change shows what the
    // numbers do.
    function begin() {
      law = null;
      errors = [];
      random = T.random(1);
      T.guarded(controls, live, () => {
        law = judge({ ...controls.read(), paid });
        drawSets(SHOWN);
        show();
      });
      pay.set(paid ? "yes" : "no");
    }
    function changed() {
      begin();
      if (law) address.write({ ...controls.raw(), paid: paid ? "yes" : "no" });
    }
    begin();
    address.follow((state) => {
      paid = state.paid === "yes";
      controls.set(state);
      begin();
    });
    return {
      draw: () => {
        if (law) show();
      },
      set: ({ paid: pays = paid, ...values }) => {
        paid = pays;
        controls.set(values);
        begin();
        return law;
      },
      errors: () => errors,
    };
  });
})();
