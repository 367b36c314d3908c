// A shattered sample, live: each node of a tree owns a group of examples. A label that
// the reader changes moves the threshold of one node only, and every example still ends
// in a leaf with its label.
(() => {
  "use strict";
  const T = window.treebounds;
  const NAMES = "oabcdefghijklmnpqrstuvwxyz";
  const LEVEL = 50,
    ROW = 52,
    COLORS = ["blue", "orange"];

  // The tree with its nodes numbered in order: node j stands between leaf j - 1 and
  // leaf j.
  function ordered(nested, first = 0, depth = 0) {
    if (!nested) return { leaf: first, x: first, depth, last: first };
    const left = ordered(nested[0], first, depth + 1),
      right = ordered(nested[1], left.last + 1, depth + 1);
    return {
      node: left.last + 1,
      x: left.last + 0.5,
      depth,
      left,
      right,
      last: right.last,
    };
  }
  const all = (tree) =>
    tree.left ? [tree, ...all(tree.left), ...all(tree.right)] : [tree];

  // For each node the feature and the number of examples of its group that it sends
  // left: those with the label of the leaf before it. A feature that still does it is
  // kept.
  function testsFor({ ranks, size, nodes }, labels, before) {
    const features = ranks[0].length;
    return Array.from({ length: nodes }, (_, i) => {
      const group = Array.from({ length: size }, (_, e) => 1 + i * size + e),
        label = (labels[0] + i) % 2;
      const low = group.filter((e) => labels[e] === label),
        threshold = i * size + low.length + 0.5;
      const cuts = (feature) => low.every((e) => ranks[e][feature] < threshold);
      const order = [before?.[i]?.feature ?? 0, ...Array(features).keys()];
      return { feature: order.find(cuts), threshold, low: low.length };
    });
  }

  function pathOf(tree, tests, example) {
    const path = [tree];
    for (let at = tree; at.left; path.push(at))
      at =
        example[tests[at.node - 1].feature] < tests[at.node - 1].threshold
          ? at.left
          : at.right;
    return path;
  }

  T.picture("flip", (live, data, width) => {
    const address = T.address("flip"),
      names = Object.keys(data);
    let name = names[0],
      features = 2,
      labels = null,
      tests = null,
      moved = [],
      followed = null,
      tried = new Set(),
      told = "";
    const current = () => data[name][features];
    const trees = T.choice(
      "Tree",
      Object.fromEntries(names.map((key) => [key, key])),
      name,
      (key) => {
        name = key;
        begin();
      },
    );
    const kinds = T.choice(
      "Features",
      { 2: "two features", 3: "three features" },
      features,
      (key) => {
        features = Number(key);
        begin();
      },
    );
    const random = T.button(
      "Random labels",
      () => relabel(labels.map(() => (Math.random() < 0.5 ? 0 : 1))),
      { "data-random": "" },
    );
    const message = T.html("p", { class: "message", role: "alert" });
    const said = T.html("p", { class: "results", "data-said": "", role: "status" }),
      count = T.html("p", { class: "results" });
    const drawing = T.html("div", { class: "results" }),
      above = T.svg("g", {});
    live.append(
      T.html("div", { class: "p-row" }, trees.element, kinds.element, random),
      message,
      T.html(
        "p",
        { class: "hint" },
        "Press an example to give it the other label. Which one moves all the nodes?",
      ),
      drawing,
      said,
      count,
    );

    function begin(chosen) {
      labels = chosen ?? current().ranks.map((_, e) => e % 2);
      tests = testsFor(current(), labels);
      [moved, followed, told] = [[], null, ""];
      tried = new Set([labels.join("")]);
      draw();
      if (!chosen) written();
    }
    function relabel(next) {
      const changed = next.map((_, e) => e).filter((e) => next[e] !== labels[e]),
        before = tests;
      labels = next;
      tests = testsFor(current(), labels, before);
      moved = tests
        .map((_, i) => i)
        .filter(
          (i) =>
            tests[i].feature !== before[i].feature || tests[i].low !== before[i].low,
        );
      tried.add(labels.join(""));
      told = tell(changed);
      draw();
      written();
    }
    function tell(changed) {
      if (changed.length !== 1) return "";
      const [e] = changed,
        start = `${NAMES[e]} has label ${labels[e]} now. `;
      if (!e)
        return `${start}All leaves exchange their labels, so every node sends the other part of its group left.`;
      const { feature, low } = tests[moved[0]];
      return `${start}Only node ${moved[0] + 1} moves: it sends ${low} of its ${current().size} examples left, along feature ${feature + 1}.`;
    }
    const flip = (e) =>
      relabel(labels.map((label, other) => (other === e ? 1 - label : label)));
    const written = () =>
      address.write({ tree: name, features, labels: labels.join("") });

    // Where things stand; the unit is the distance of two leaves.
    function scales() {
      const { tree, size, nodes } = current(),
        w = Math.min(width(), 200 * (nodes + 1), 720),
        unit = w / (nodes + 1);
      const height = Math.max(...all(tree).map((at) => at.depth)),
        leaves = 24 + LEVEL * height,
        spread = Math.min(34, (0.86 * unit) / size);
      return {
        w,
        leaves,
        spread,
        radius: Math.min(11, 0.44 * spread),
        rows: leaves + 58,
        x: (at) => unit * (at + 0.5),
        y: (at) => (at.left ? 24 + LEVEL * at.depth : leaves),
        place: (rank) =>
          rank
            ? unit * Math.ceil(rank / size) +
              spread * (((rank - 1) % size) - (size - 1) / 2)
            : unit * 0.4,
      };
    }

    function mark(label, cx, cy, r) {
      return label
        ? T.svg("rect", {
            x: cx - 0.9 * r,
            y: cy - 0.9 * r,
            width: 1.8 * r,
            height: 1.8 * r,
            class: COLORS[1],
          })
        : T.svg("circle", { cx, cy, r, class: COLORS[0] });
    }

    function drawTree(s, tree, path) {
      const inPath = new Set(path),
        edges = all(tree)
          .filter((at) => at.left)
          .flatMap((at) => [
            [at, at.left],
            [at, at.right],
          ]);
      return [
        all(tree)
          .filter((at) => at.left)
          .map((at) =>
            T.line(s.x(at.x), s.y(at), s.x(at.x), s.rows - 34, {
              class: "axis dashed",
            }),
          ),
        edges.map(([a, b]) =>
          T.line(s.x(a.x), s.y(a), s.x(b.x), s.y(b), {
            class: inPath.has(b) ? "purple-line thick" : "mute-line",
          }),
        ),
        all(tree)
          .map((at) => {
            if (at.left) {
              return [
                T.svg("circle", {
                  cx: s.x(at.x),
                  cy: s.y(at),
                  r: 14,
                  class: `open ${moved.includes(at.node - 1) ? "purple-line" : "mute-line"}`,
                }),
                T.text(s.x(at.x), s.y(at) + 4, at.node, {
                  "text-anchor": "middle",
                  class: moved.includes(at.node - 1) ? "strong" : "",
                }),
              ];
            }
            const label = labelOf(at.leaf);
            return [
              mark(label, s.x(at.x), s.y(at), 13),
              T.text(s.x(at.x), s.y(at) + 4, label, {
                "text-anchor": "middle",
                class: "on-color",
              }),
            ];
          })
          .flat(),
      ].flat();
    }

    function drawRow(s, feature) {
      const { ranks, size } = current(),
        y = s.rows + ROW * feature;
      const cuts = tests
        .map((test, i) => ({ ...test, i }))
        .filter((test) => test.feature === feature)
        .map(({ i, low }) => {
          const x = s.place(i * size + 1) + s.spread * (low - 0.5),
            isMoved = moved.includes(i);
          return [
            T.line(x, y - 15, x, y + 15, {
              class: isMoved ? "purple-line thick" : "green-line thick",
            }),
            T.text(x, y - 18, i + 1, {
              "text-anchor": "middle",
              class: isMoved ? "strong" : "mute",
            }),
          ];
        });
      const examples = ranks.map((rank, e) => {
        const x = s.place(rank[feature]),
          parts = [
            T.svg("rect", {
              x: x - s.spread / 2,
              y: y - 20,
              width: s.spread,
              height: 40,
              fill: "transparent",
            }),
            mark(labels[e], x, y, s.radius),
            T.text(x, y + 4, NAMES[e], { "text-anchor": "middle", class: "on-color" }),
          ];
        const press = () => {
            followed = e;
            flip(e);
          },
          follow = () => {
            followed = e;
            drawPath();
          };
        // By keyboard once for each example; the other rows show the same examples
        // again.
        if (feature)
          return T.svg(
            "g",
            {
              "aria-hidden": "true",
              style: "cursor: pointer",
              onclick: press,
              onpointerenter: follow,
            },
            parts,
          );
        return T.pressable(
          {
            "data-key": e,
            "data-example": e,
            "aria-label": `${NAMES[e]}, label ${labels[e]}`,
            onpointerenter: follow,
            onfocus: follow,
          },
          press,
          parts,
        );
      });
      return [
        T.line(4, y, s.w - 4, y, { class: "grid" }),
        T.text(s.w - 4, y - 18, `feature ${feature + 1}`, {
          "text-anchor": "end",
          class: "mute",
        }),
        ...examples,
        ...cuts.flat(),
      ];
    }

    const endOf = (path) => path[path.length - 1].leaf,
      labelOf = (leaf) => (labels[0] + leaf) % 2;

    // The tree with the way of the example that is followed. The examples stay, so that
    // a press on one is not lost.
    function drawPath() {
      const { ranks, tree } = current(),
        path = followed === null ? [] : pathOf(tree, tests, ranks[followed]);
      above.replaceChildren(...drawTree(scales(), tree, path));
      said.textContent =
        followed === null
          ? told
          : `${told} ${NAMES[followed]} ends in leaf ${endOf(path)}, which has label ${labelOf(endOf(path))}.`;
    }

    function draw() {
      const { ranks, tree } = current(),
        s = scales();
      const right = ranks.filter(
        (example, e) => labelOf(endOf(pathOf(tree, tests, example))) === labels[e],
      ).length;
      T.refill(
        drawing,
        T.canvas(
          s.w,
          s.rows + ROW * (features - 1) + 26,
          "The tree, and below it the examples in their order along each feature, with the threshold of each node",
          above,
          Array.from({ length: features }, (_, feature) => drawRow(s, feature)).flat(),
        ),
      );
      drawPath();
      count.replaceChildren(
        T.html("span", { class: "number", "data-right": "" }, String(right)),
        ` of ${ranks.length} examples have the label of their leaf. Labelings tried: `,
        T.html("span", { class: "number", "data-tried": "" }, String(tried.size)),
        ` of ${T.whole(2 ** ranks.length)}.`,
      );
      trees.set(name);
      kinds.set(features);
    }

    function checked(state) {
      if (state.tree !== undefined && !Object.hasOwn(data, state.tree))
        throw T.wrong(
          "tree",
          `There is no tree "${state.tree}" here, but ${names.join(" and ")}`,
        );
      if (state.features !== undefined && ![2, 3].includes(Number(state.features)))
        throw T.wrong(
          "features",
          `The number of features must be 2 or 3, not ${state.features}`,
        );
      const size =
        data[state.tree ?? name][Number(state.features ?? features)].ranks.length;
      if (
        state.labels !== undefined &&
        !(/^[01]*$/.test(state.labels) && state.labels.length === size)
      )
        throw T.wrong(
          "labels",
          `The labels must be ${size} digits 0 or 1, not "${state.labels}"`,
        );
    }
    function take(state) {
      T.guarded({ message }, live, () => {
        checked(state);
        [name, features] = [state.tree ?? name, Number(state.features ?? features)];
        begin(
          state.labels === undefined
            ? current().ranks.map((_, e) => e % 2)
            : Array.from(state.labels, Number),
        );
      });
    }

    for (const sets of Object.values(data)) {
      for (const set of Object.values(sets))
        Object.assign(set, {
          tree: ordered(set.shape),
          size: (set.ranks.length - 1) / ordered(set.shape).last,
          nodes: ordered(set.shape).last,
        });
    }
    begin(current().ranks.map((_, e) => e % 2));
    address.follow(take);
    return {
      draw,
      set: (state) => {
        take(state);
        return {
          tests: tests.map(({ feature, threshold }) => [feature, threshold]),
          leaves: Array.from({ length: current().nodes + 1 }, (_, j) => labelOf(j)),
        };
      },
      flip: (e) => {
        flip(e);
        return moved;
      },
    };
  });
})();
