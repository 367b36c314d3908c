// Features as orders of six examples: the sets that their thresholds cut off, counted
// against Theorem 7.
(() => {
  "use strict";
  const T = window.treebounds;
  const M = 6,
    LEVEL = 62,
    MOST = 10,
    SIZES = [1, 2, 3, 4, 5];

  const nameOf = (examples) => [...examples].sort().join("");
  const first = (order, k) => nameOf(order.slice(0, k)),
    last = (order, k) => nameOf(order.slice(M - k));
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

  // The sets of each size that a threshold of one of the features cuts off.
  const cutOff = (orders) =>
    SIZES.map(
      (k) => new Set(orders.flatMap((order) => [first(order, k), last(order, k)])),
    );

  function shuffled(random) {
    const order = Array.from({ length: M }, (_, i) => i);
    for (let i = M - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }

  T.picture("weave", (live, data, width) => {
    const address = T.address("weave"),
      ofSize = SIZES.map(
        (k) => Object.keys(data.places).filter((set) => set.length === k).length,
      );
    let seed = 0,
      pointed = null; // seed 0: the list of the theorem
    const controls = T.controls(
      [
        {
          name: "features",
          label: "Features",
          min: 1,
          max: MOST,
          value: MOST,
          whole: true,
        },
      ],
      () => changed(),
    );
    const lists = T.choice(
      "List",
      { list: "the list of the theorem", random: "random features" },
      "list",
      (key) => {
        seed = key === "list" ? 0 : seed + 1;
        changed();
      },
    );
    const each = T.choice(
      "One feature",
      Object.fromEntries(Array.from({ length: MOST }, (_, i) => [i + 1, i + 1])),
      "",
      (key) => point(Number(key)),
    );
    const said = T.html("p", { class: "results", "data-said": "", role: "status" }),
      ofOne = T.html("p", { class: "results", "data-pointed": "" });
    const drawing = T.html("div", { class: "results" });
    live.append(
      T.html("div", { class: "p-row" }, lists.element),
      controls.element,
      controls.message,
      said,
      drawing,
      T.html(
        "div",
        { class: "p-row" },
        T.html("span", { class: "hint" }, "Show feature"),
        each.element,
      ),
      ofOne,
    );

    const orders = () => {
      if (!seed) return data.orders;
      const random = T.random(seed);
      return Array.from({ length: MOST }, () => shuffled(random));
    };
    // The numbers of the picture; a partition in two parts is a set and its complement.
    function count() {
      const { features } = controls.read(),
        sets = cutOff(orders().slice(0, features));
      const allowed = ofSize.map((number) => Math.min(2 * features, number));
      return { features, sets, found: sets.map((of) => of.size), allowed };
    }

    function point(number) {
      pointed = pointed === number ? null : number;
      if (number > Number(controls.raw().features)) controls.set({ features: number });
      changed();
    }

    function drawLine(at, number, color, isShown) {
      const points = Array.from({ length: M + 1 }, (_, k) => at(k)),
        half = LEVEL / 2;
      const curve = points
        .slice(1)
        .map(
          ([x, y], i) =>
            `C${points[i][0]} ${points[i][1] - half} ${x} ${y + half} ${x} ${y}`,
        )
        .join("");
      const d = `M${points[0].join(" ")}${curve}`;
      const line = T.svg("path", {
        d,
        class: isShown
          ? `${color}-line${pointed === number ? " thick" : ""}`
          : "pale-line",
        opacity: pointed && pointed !== number ? 0.3 : 0.9,
      });
      const wide = T.svg("path", {
        d,
        fill: "none",
        stroke: "transparent",
        "stroke-width": 9,
        style: "cursor: pointer",
        "data-thread": number,
        onclick: () => point(number),
      });
      return [line, wide];
    }

    function draw() {
      const { features, sets, allowed } = count(),
        all = orders();
      const w = Math.min(width(), 720),
        labels = 64,
        center = (w - labels) / 2,
        scale = (center - 10) / Math.max(...Object.values(data.places));
      const x = (set) => center + scale * data.places[set],
        y = (k) => 16 + LEVEL * (M - k);
      const at = (sets) => (k) => [x(sets(k)), y(k)];
      // What is shown stands above what is not.
      const threads = all.map((order, i) => [
        ...drawLine(
          at((k) => first(order, k)),
          i + 1,
          "blue",
          i < features,
        ),
        ...drawLine(
          at((k) => last(order, k)),
          i + 1,
          "orange",
          i < features,
        ),
      ]);
      const inFront = threads
        .map((_, i) => i)
        .sort(
          (a, b) =>
            (a < features) - (b < features) ||
            (a + 1 === pointed) - (b + 1 === pointed),
        );
      const own = pointed
        ? new Set(
            SIZES.flatMap((k) => [
              first(all[pointed - 1], k),
              last(all[pointed - 1], k),
            ]),
          )
        : new Set();
      const dots = Object.keys(data.places).map((set) => {
        const isCut = sets[set.length - 1]?.has(set);
        return T.svg("circle", {
          cx: x(set),
          cy: y(set.length),
          r: own.has(set) ? 5.5 : 3.6,
          class: isCut ? (own.has(set) ? "purple" : "green") : "open mute-line",
        });
      });
      const names = [...own].map((set) =>
        T.text(x(set), y(set.length) - 9, set, {
          "text-anchor": "middle",
          class: "halo strong",
        }),
      );
      const rows = SIZES.map((k, i) =>
        T.text(w - 4, y(k) + 4, `${sets[i].size} of ${ofSize[i]}`, {
          "text-anchor": "end",
          class: sets[i].size === allowed[i] ? "strong" : "mute",
        }),
      );
      drawing.replaceChildren(
        T.canvas(
          w,
          2 * 16 + LEVEL * M,
          "All sets of six examples by size, and a blue and an orange line for each feature, through its sets of first and of last examples",
          inFront.map((i) => threads[i]).flat(),
          dots,
          names,
          rows,
        ),
      );
    }

    function tell() {
      const { features, found, allowed } = count(),
        partitions = sum(found) / 2,
        bound = sum(allowed) / 2;
      const number = (value, attributes) =>
        T.html("span", { class: "number", ...attributes }, String(value));
      said.replaceChildren(
        `${features === 1 ? "One feature cuts" : `${features} features cut`} off ${found.join(" + ")} = ${sum(found)} sets, each with its complement: `,
        number(partitions, { "data-partitions": "" }),
        " of the ",
        number(bound, { "data-bound": "" }),
        " partitions that Theorem 7 allows. ",
        partitions === bound
          ? "No other features make more."
          : "Some sets are cut off twice, and others are missed.",
      );
      const order = pointed && orders()[pointed - 1];
      ofOne.textContent = order
        ? `Feature ${pointed} has the examples in the order ${order.join(" ")}. Its thresholds cut off ${SIZES.map((k) => first(order, k)).join(", ")} (blue), or, from the other end, ${SIZES.map((k) => last(order, k)).join(", ")} (orange).`
        : "";
    }

    function show() {
      T.guarded(controls, live, () => {
        tell();
        draw();
      });
      lists.set(seed ? "random" : "list");
      each.set(pointed ?? "");
    }
    function changed() {
      if (pointed > Number(controls.raw().features)) pointed = null;
      show();
      address.write({ ...controls.raw(), seed, feature: pointed ?? 0 });
    }
    function take(state) {
      T.guarded(controls, live, () => {
        for (const [part, most] of [
          ["seed", 1e9],
          ["feature", MOST],
        ]) {
          const value = Number(state[part] ?? 0);
          if (!Number.isInteger(value) || value < 0 || value > most)
            throw T.wrong(
              part,
              `The ${part} must be a whole number from 0 to ${most}, not ${state[part]}`,
            );
        }
        controls.set(state);
        seed = Number(state.seed ?? seed);
        pointed = Number(state.feature ?? 0) || null;
        show();
      });
    }
    show();
    address.follow(take);
    return {
      draw: show,
      set: (state) => {
        take(state);
        return live.classList.contains("invalid")
          ? null
          : { orders: orders(), found: count().found };
      },
    };
  });
})();
