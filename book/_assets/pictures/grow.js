// A tree that grows test by test: the gains of all tests of a leaf, the boxes in the
// plane, and the smallest tree to beat.
(() => {
  "use strict";
  const T = window.treebounds;
  const SIZE = 100,
    COLORS = ["blue", "orange"],
    SAME = 1e-12; // gains that differ by rounding are the same

  // In nats.
  function entropy(labels) {
    const p = labels.reduce((a, b) => a + b, 0) / labels.length;
    return p === 0 || p === 1 ? 0 : -(p * Math.log(p) + (1 - p) * Math.log(1 - p));
  }
  const labelsOf = (points) => points.map((point) => point[2]);
  const majority = (points) =>
    2 * labelsOf(points).reduce((a, b) => a + b, 0) > points.length ? 1 : 0;
  const errorsOf = (points) =>
    labelsOf(points).filter((label) => label !== majority(points)).length;
  const divide = (points, { feature, threshold }) => [
    points.filter((p) => p[feature] < threshold),
    points.filter((p) => p[feature] >= threshold),
  ];

  // All tests of a leaf, each with its gain.
  function testsOf(points) {
    const tests = [];
    for (const feature of [0, 1]) {
      const values = [...new Set(points.map((p) => p[feature]))].sort((a, b) => a - b);
      for (let i = 1; i < values.length; i++) {
        const test = { feature, threshold: (values[i - 1] + values[i]) / 2 };
        const after = divide(points, test).map(
          (side) => (side.length / points.length) * entropy(labelsOf(side)),
        );
        tests.push({ ...test, gain: entropy(labelsOf(points)) - after[0] - after[1] });
      }
    }
    return tests;
  }
  const largest = (tests) =>
    tests.reduce((best, test) => (test.gain > best.gain + SAME ? test : best));

  // A tree: a leaf has no test.
  const leaf = (points, box) => ({ points, box, test: null, sides: [] });
  function split(node, test) {
    const [no, yes] = divide(node.points, test),
      { feature, threshold } = test;
    const ends = (which, value) =>
      node.box.map((interval, j) =>
        j === feature
          ? interval.map((end, i) => (i === which ? value : end))
          : interval,
      );
    node.test = { feature, threshold };
    node.sides = [leaf(no, ends(1, threshold)), leaf(yes, ends(0, threshold))];
  }
  const leavesOf = (node) => (node.test ? node.sides.flatMap(leavesOf) : [node]);
  const canGrow = (node) =>
    errorsOf(node.points) > 0 && testsOf(node.points).length > 0;
  function growAll(node) {
    if (!node.test && canGrow(node)) split(node, largest(testsOf(node.points)));
    node.sides.forEach(growAll);
    return node;
  }

  // In the address: the tests in preorder, a minus for a leaf.
  const written = (node) =>
    node.test
      ? [`${node.test.feature}:${node.test.threshold}`, ...node.sides.flatMap(written)]
      : ["-"];
  function read(node, words) {
    const word = words.shift();
    if (word === "-") return;
    const [feature, threshold] = (word ?? "").split(":").map(Number),
      test = { feature, threshold };
    if (
      ![0, 1].includes(feature) ||
      !divide(node.points, test).every((side) => side.length)
    )
      throw T.wrong(
        "tests",
        `The tree has a test "${word ?? ""}" that divides no examples`,
      );
    split(node, test);
    node.sides.forEach((side) => read(side, words));
  }

  T.picture("grow", (live, data, width) => {
    const address = T.address("grow"),
      names = Object.keys(data);
    const begin = () =>
      leaf(data[name].points, [
        [0, SIZE],
        [0, SIZE],
      ]);
    let name = names[0],
      tree = begin(),
      active = tree,
      before = [];
    const tables = T.choice(
      "Examples",
      Object.fromEntries(names.map((key) => [key, key])),
      name,
      (key) => {
        name = key;
        restart();
      },
    );
    const controls = T.controls(
      [
        {
          name: "test",
          label: "Test",
          min: 1,
          max: () => tests().length,
          value: 1,
          whole: true,
        },
      ],
      () => show(),
    );
    const buttons = {
      best: T.button(
        "Largest gain",
        () => {
          choose(indexOfBest());
          show();
        },
        { "data-best": "" },
      ),
      split: T.button(
        "Split here",
        () => {
          const test = chosen();
          if (test) change(() => split(active, test));
        },
        { "data-split": "" },
      ),
      all: T.button("Grow to the end", () => change(() => growAll(tree)), {
        "data-all": "",
      }),
      back: T.button("Take back", takeBack, { "data-back": "" }),
      again: T.button(
        "Start again",
        () => {
          if (tree.test)
            change(() => {
              tree = begin();
            });
        },
        { "data-again": "" },
      ),
    };
    const said = T.html("p", { class: "results", "data-said": "", role: "status" }),
      count = T.html("p", { class: "results" });
    const drawing = T.html("div", { class: "results side-by-side" }),
      chart = T.html("div", { class: "results" });
    live.append(
      T.html("div", { class: "p-row" }, tables.element),
      controls.element,
      T.html("div", { class: "p-row" }, Object.values(buttons)),
      controls.message,
      said,
      drawing,
      chart,
      count,
    );

    function tests() {
      return active ? testsOf(active.points) : [];
    }
    const choose = (i) => controls.set({ test: i + 1 });
    const chosen = () => (active ? tests()[Number(controls.raw().test) - 1] : null);
    const indexOfBest = () => {
      const all = tests(),
        best = largest(all);
      return all.indexOf(
        all.find(
          (test) => test.feature === best.feature && test.threshold === best.threshold,
        ),
      );
    };

    // The next leaf that holds two classes, from left to right.
    function activate() {
      active = leavesOf(tree).find(canGrow) ?? null;
      if (active) choose(0);
    }
    function change(act) {
      before.push(written(tree));
      act();
      activate();
      changed();
    }
    function restore(words) {
      tree = begin();
      read(tree, [...words]);
      activate();
    }
    function takeBack() {
      if (!before.length) return;
      restore(before.pop());
      changed();
    }
    function restart() {
      before = [];
      restore(["-"]);
      changed();
    }
    function changed() {
      show();
      address.write({ table: name, tests: written(tree).join("_") });
    }

    const asked = ({ feature, threshold }) =>
      `feature ${feature + 1} at least ${threshold}`;
    function tell() {
      const all = leavesOf(tree),
        wrong = all.map((node) => errorsOf(node.points)).reduce((a, b) => a + b, 0);
      const greedy = leavesOf(growAll(begin())).length,
        { fewest } = data[name];
      const number = (value, attributes = {}) =>
        T.html("span", { class: "number", ...attributes }, String(value));
      if (active) {
        const test = chosen(),
          every = tests(),
          numbers = [0, 1].map(
            (label) => labelsOf(active.points).filter((own) => own === label).length,
          );
        said.replaceChildren(
          `The outlined box holds ${numbers[0]} blue and ${numbers[1]} orange examples. Test ${controls.read().test} of ${every.length} asks: is ${asked(test)}? Its gain is `,
          number(T.fixed(test.gain), { "data-gain": test.gain }),
          ` nats; the largest is ${T.fixed(largest(every).gain)}.`,
        );
      } else
        said.textContent = wrong
          ? "No test divides the examples of a box any more."
          : "Every box holds a single class.";
      count.replaceChildren(
        "The tree has ",
        number(all.length, { "data-leaves": "" }),
        all.length === 1 ? " leaf and " : " leaves and ",
        number(wrong, { "data-errors": "" }),
        wrong === 1 ? " error. " : " errors. ",
        "Growing by the largest gain ends with ",
        number(greedy, { "data-greedy": "" }),
        " leaves; the smallest tree without errors has ",
        number(fewest, { "data-fewest": "" }),
        ". ",
        wrong === 0 && all.length === fewest
          ? T.html("strong", {}, "You have found one.")
          : "",
      );
    }

    function mark(label, cx, cy, r) {
      return label
        ? T.svg("rect", {
            x: cx - r,
            y: cy - r,
            width: 2 * r,
            height: 2 * r,
            class: COLORS[1],
          })
        : T.svg("circle", { cx, cy, r, class: COLORS[0] });
    }

    function drawPlane(w) {
      const scale = (w - 30) / SIZE,
        x = (v) => 24 + scale * v,
        y = (v) => 6 + scale * (SIZE - v);
      const boxes = leavesOf(tree).map((node, i) => {
        const [[left, right], [low, high]] = node.box,
          isActive = node === active;
        const shape = T.svg("rect", {
          x: x(left) + 1,
          y: y(high) + 1,
          width: scale * (right - left) - 2,
          height: scale * (high - low) - 2,
          class: `${COLORS[majority(node.points)]} ${isActive ? "purple-line" : "mute-line"}`,
          "fill-opacity": 0.13,
          style: `fill: var(--p-${COLORS[majority(node.points)]})`,
        });
        if (!canGrow(node)) return shape;
        return T.pressable(
          {
            "data-key": `box${i}`,
            "data-box": i,
            "aria-label": `Box ${i + 1}: ${node.points.length} examples, ${errorsOf(node.points)} errors`,
            "aria-pressed": String(isActive),
          },
          (event) => press(node, event, x, y),
          shape,
        );
      });
      const test = chosen(),
        line =
          test &&
          (test.feature === 0
            ? T.line(
                x(test.threshold),
                y(active.box[1][0]),
                x(test.threshold),
                y(active.box[1][1]),
                { class: "purple-line dashed" },
              )
            : T.line(
                x(active.box[0][0]),
                y(test.threshold),
                x(active.box[0][1]),
                y(test.threshold),
                { class: "purple-line dashed" },
              ));
      const examples = data[name].points.map(([a, b, label]) =>
        T.svg("g", { "pointer-events": "none" }, mark(label, x(a), y(b), 5)),
      );
      return T.canvas(
        w,
        w - 30 + 28,
        "The plane of two features with the boxes of the tree's leaves",
        boxes,
        line,
        examples,
        T.text(x(SIZE / 2), w - 6, "feature 1", { "text-anchor": "middle" }),
        T.text(14, y(SIZE / 2), "feature 2", {
          "text-anchor": "middle",
          transform: `rotate(-90 14 ${y(SIZE / 2)})`,
        }),
      );
    }
    // By pointer: the test nearest to the place that is pressed. By keyboard: the box
    // alone.
    function press(node, event, x, y) {
      active = node;
      const box = drawing.querySelector("svg").getBoundingClientRect(),
        every = tests();
      const away = ({ feature, threshold }) =>
        feature
          ? Math.abs(event.clientY - box.top - y(threshold))
          : Math.abs(event.clientX - box.left - x(threshold));
      if (!event.clientX) choose(0);
      else
        choose(
          every.indexOf(
            every.reduce((best, test) => (away(test) < away(best) ? test : best)),
          ),
        );
      show();
    }

    function drawTree(w) {
      const { nodes, edges, leaves, height } = T.layout(tree, (node) => node.sides),
        step = 46;
      const x = (at) => (w * (at.x + 0.5)) / leaves,
        y = (at) => 16 + step * at.depth;
      return T.canvas(
        w,
        32 + step * height,
        "The tree; a test sends an example right if the answer is yes",
        edges.map(([a, b]) => T.line(x(a), y(a), x(b), y(b), { class: "mute-line" })),
        nodes
          .map((at) =>
            at.leaf
              ? [
                  mark(majority(at.item.points), x(at), y(at), 8),
                  T.svg("circle", {
                    cx: x(at),
                    cy: y(at),
                    r: 12,
                    class: `${at.item === active ? "purple-line" : ""}`,
                    fill: "none",
                  }),
                ]
              : [
                  T.text(
                    x(at),
                    y(at) + 4,
                    `x${"₁₂"[at.item.test.feature]} ≥ ${at.item.test.threshold}`,
                    { "text-anchor": "middle", class: "halo" },
                  ),
                ],
          )
          .flat(),
      );
    }

    function drawChart(w) {
      const every = tests(),
        top = Math.max(...every.map((test) => test.gain), 0.01),
        height = 150,
        now = controls.read().test - 1;
      const { x, y, parts } = T.axes(
        w,
        height,
        Math.max(6, every.length),
        1.05 * top,
        "all tests: feature 1 (blue), then feature 2 (green)",
        "gain",
      );
      const bars = every.map(({ feature, gain }, i) =>
        T.svg("rect", {
          x: x(i) + 1,
          y: y(Math.max(gain, 0)),
          width: Math.max(1, x(1) - x(0) - 2),
          height: y(0) - y(Math.max(gain, 0)),
          class: i === now ? "purple" : ["blue", "green"][feature],
          style: "cursor: pointer",
          onclick: () => {
            choose(i);
            show();
          },
        }),
      );
      return T.canvas(w, height, `The gains of ${every.length} tests`, parts, bars);
    }

    function draw() {
      const w = width(),
        isWide = w > 620,
        half = isWide ? (w - 16) / 2 : w;
      T.refill(drawing, drawPlane(Math.min(half, 360)), drawTree(Math.min(half, 360)));
      chart.replaceChildren(...(active ? [drawChart(Math.min(w, 760))] : []));
    }

    function show() {
      T.guarded(controls, live, () => {
        tell();
        draw();
      });
      controls.element.hidden = !active;
      tables.set(name);
      for (const [button, off] of [
        ["best", !active],
        ["split", !active],
        ["all", !active],
        ["back", !before.length],
        ["again", !tree.test],
      ])
        buttons[button].setAttribute("aria-disabled", String(off));
    }

    function take(state) {
      T.guarded(controls, live, () => {
        if (state.table !== undefined && !Object.hasOwn(data, state.table))
          throw T.wrong(
            "table",
            `There are no examples "${state.table}" here, but ${names.join(" and ")}`,
          );
        name = state.table ?? name;
        before = [];
        restore((state.tests ?? "-").split("_"));
        show();
      });
    }
    activate();
    show();
    address.follow(take);
    return {
      draw: show,
      set: (state) => {
        take(state);
        return {
          tests: tests(),
          leaves: leavesOf(tree).map((node) => node.points),
          words: written(tree),
        };
      },
      grow: () => {
        change(() => growAll(tree));
        return written(tree);
      },
    };
  });
})();
