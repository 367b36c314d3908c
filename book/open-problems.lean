import FormalConjecturesUtil

/-!
# Vapnik-Chervonenkis dimensions of decision trees

The open problems of the book "How complex is a decision tree?", in the format of the
collection Formal Conjectures: each statement stands alone, and `sorry` marks what is not
known. No version of Lean has compiled this text.

A tree compares at each internal node one of `l` real coordinates with a threshold. A
structure says which node stands below which, and nothing else. The questions are about
the largest number of points that the trees of a structure, or sums of them, can label in
every way.

*References:*
- [The open problems of the book](https://treebounds.github.io/treebounds/open-problems.html)
- [LLM2020] Leboeuf, J.-S., LeBlanc, F. and Marchand, M. (2020). Decision trees as
  partitioning machines to characterize their generalization properties. NeurIPS.
- [Nat1989] Natarajan, B. K. (1989). On learning sets and functions. Machine Learning 4.
-/

namespace DecisionTrees

open Filter Topology

/-- The shape of a binary tree. -/
inductive Structure where
  | leaf : Structure
  | node : Structure → Structure → Structure

namespace Structure

/-- The number of internal nodes. -/
def nodes : Structure → ℕ
  | leaf => 0
  | node s t => s.nodes + t.nodes + 1

/-- One node with two leaves. -/
def stump : Structure := node leaf leaf

/-- Two nodes, one below the other. -/
def chainOfTwo : Structure := node stump leaf

/-- Nodes one below the other. -/
def chain : ℕ → Structure
  | 0 => leaf
  | n + 1 => node (chain n) leaf

end Structure

/-- Points with `l` real coordinates. -/
abbrev Point (l : ℕ) := Fin l → ℝ

open Classical in
/-- `Computes T h` says that a tree of structure `T` computes `h`. Either subtree may take
the points at or below the threshold, because a structure does not tell left from right. -/
inductive Computes {l : ℕ} {α : Type} : Structure → (Point l → α) → Prop
  | leaf (a : α) : Computes Structure.leaf (fun _ => a)
  | below {s t : Structure} {f g : Point l → α} (i : Fin l) (c : ℝ) :
      Computes s f → Computes t g →
        Computes (Structure.node s t) (fun x => if x i ≤ c then f x else g x)
  | above {s t : Structure} {f g : Point l → α} (i : Fin l) (c : ℝ) :
      Computes s f → Computes t g →
        Computes (Structure.node s t) (fun x => if x i ≤ c then g x else f x)

/-- The sets that a tree of structure `T` can cut off. -/
def trees (T : Structure) (l : ℕ) : Set (Set (Point l)) :=
  {A | ∃ h : Point l → Prop, Computes T h ∧ A = {x | h x}}

/-- The sets on which a sum of `B` trees of structure `T`, with real numbers at the leaves,
is positive. Another threshold than 0 is a change of the numbers of one tree. -/
def sums (T : Structure) (B l : ℕ) : Set (Set (Point l)) :=
  {A | ∃ f : Fin B → Point l → ℝ, (∀ b, Computes T (f b)) ∧ A = {x | 0 < ∑ b, f b x}}

/-- A class of sets shatters a finite set if it cuts off each of its subsets. -/
def Shatters {l : ℕ} (C : Set (Set (Point l))) (S : Finset (Point l)) : Prop :=
  ∀ P ⊆ S, ∃ A ∈ C, ∀ x ∈ S, x ∈ A ↔ x ∈ P

/-- The largest number of points that a class of sets shatters. -/
noncomputable def vcDim {l : ℕ} (C : Set (Set (Point l))) : ℕ :=
  sSup {d | ∃ S : Finset (Point l), S.card = d ∧ Shatters C S}

open Classical in
/-- Trees with `n` labels shatter a finite set in the sense of [Nat1989] if there are two
different labels for each point such that every choice among the two occurs. -/
def NatarajanShatters (T : Structure) {l : ℕ} (n : ℕ) (S : Finset (Point l)) : Prop :=
  ∃ f g : Point l → Fin n, (∀ x ∈ S, f x ≠ g x) ∧
    ∀ P ⊆ S, ∃ h : Point l → Fin n, Computes T h ∧
      ∀ x ∈ S, h x = if x ∈ P then f x else g x

/-- The largest number of points that trees with `n` labels shatter. -/
noncomputable def natarajanDim (T : Structure) (l n : ℕ) : ℕ :=
  sSup {d | ∃ S : Finset (Point l), S.card = d ∧ NatarajanShatters T n S}

/--
**Trees on two features.** Is the VC dimension of the chain of `N ≥ 3` internal nodes on two
features always `2 N + 2`?

*Reference:* [open-two-features](https://treebounds.github.io/treebounds/open-problems.html#open-two-features)
-/
@[category research open, AMS 5 68]
theorem two_features :
    answer(sorry) ↔ ∀ N : ℕ, 3 ≤ N → vcDim (trees (Structure.chain N) 2) = 2 * N + 2 := by
  sorry

/-- Another structure shatters one point more: a chain of three and a chain of four nodes under
a root. -/
@[category research solved, AMS 5 68]
theorem two_features.variants.eight_nodes :
    19 ≤ vcDim (trees (Structure.node (Structure.chain 3) (Structure.chain 4)) 2) := by
  sorry

/-- The smallest case that is not decided: six nodes and 15 points. -/
@[category research open, AMS 5 68]
theorem two_features.variants.six_nodes :
    answer(sorry) ↔ ∃ T : Structure, T.nodes = 6 ∧
      ∃ S : Finset (Point 2), S.card = 15 ∧ Shatters (trees T 2) S := by
  sorry

/-- The book proves that the VC dimension is not smaller. -/
@[category research solved, AMS 5 68]
theorem two_features.variants.at_least (T : Structure) (hT : 3 ≤ T.nodes) :
    2 * T.nodes + 2 ≤ vcDim (trees T 2) := by
  sorry

/--
**Does the shape matter?** Can two structures with equally many internal nodes have different
VC dimensions on the same number of features?

*Reference:* [open-shape](https://treebounds.github.io/treebounds/open-problems.html#open-shape)
-/
@[category research open, AMS 5 68]
theorem shape :
    answer(sorry) ↔ ∃ (S T : Structure) (l : ℕ),
      S.nodes = T.nodes ∧ vcDim (trees S l) ≠ vcDim (trees T l) := by
  sorry

/-- The smallest case that is not decided: three nodes on three features. -/
@[category research open, AMS 5 68]
theorem shape.variants.three_nodes :
    answer(sorry) ↔
      vcDim (trees (Structure.node Structure.chainOfTwo Structure.leaf) 3) ≠
        vcDim (trees (Structure.node Structure.stump Structure.stump) 3) := by
  sorry

/-- What `N log₂ l` leaves of the VC dimension, in units of `log₂ log₂ l`. -/
noncomputable def secondTerm (T : Structure) (l : ℕ) : ℝ :=
  (vcDim (trees T l) - T.nodes * Real.logb 2 l) / Real.logb 2 (Real.logb 2 l)

/--
**The second term of the VC dimension.** Has the coefficient of `log₂ log₂ l` a limit as the
number of features grows?

*Reference:* [open-second-term](https://treebounds.github.io/treebounds/open-problems.html#open-second-term)
-/
@[category research open, AMS 5 68]
theorem second_term :
    answer(sorry) ↔ ∀ T : Structure, 1 ≤ T.nodes →
      ∃ γ : ℝ, Tendsto (secondTerm T) atTop (𝓝 γ) := by
  sorry

/-- The smallest case that is not decided: two nodes, for which every limit point lies between
1 and 3/2. -/
@[category research open, AMS 5 68]
theorem second_term.variants.two_nodes :
    Tendsto (secondTerm Structure.chainOfTwo) atTop (𝓝 (answer(sorry) : ℝ)) := by
  sorry

/--
**Many trees on few features.** For a fixed number of features, how large is the VC dimension
of a sum of many trees, up to a factor that tends to 1? For stumps on two features the factor
is at least 9/4.

*Reference:* [open-many-trees](https://treebounds.github.io/treebounds/open-problems.html#open-many-trees)
-/
@[category research open, AMS 5 68]
theorem many_trees :
    Tendsto (fun B : ℕ => (vcDim (sums Structure.stump B 2) : ℝ) / B) atTop
      (𝓝 (answer(sorry) : ℝ)) := by
  sorry

/-- The smallest case that is not decided: six stumps and 15 points. -/
@[category research open, AMS 5 68]
theorem many_trees.variants.six_stumps :
    answer(sorry) ↔ ∃ S : Finset (Point 2),
      S.card = 15 ∧ Shatters (sums Structure.stump 6 2) S := by
  sorry

/-- Three stumps, by exhaustion. -/
@[category research solved, AMS 5 68]
theorem many_trees.variants.three_stumps : vcDim (sums Structure.stump 3 2) = 8 := by
  sorry

/-- Five stumps, by exhaustion. -/
@[category research solved, AMS 5 68]
theorem many_trees.variants.five_stumps : vcDim (sums Structure.stump 5 2) = 12 := by
  sorry

/--
**The Natarajan dimension.** Is the Natarajan dimension of a structure, for three labels or
more, equal to its VC dimension?

*Reference:* [open-natarajan](https://treebounds.github.io/treebounds/open-problems.html#open-natarajan)
-/
@[category research open, AMS 5 68]
theorem natarajan :
    answer(sorry) ↔ ∀ (T : Structure) (l n : ℕ), 1 ≤ l → 3 ≤ n →
      natarajanDim T l n = vcDim (trees T l) := by
  sorry

/-- The smallest case that is not decided: the chain of two nodes on eight features, three
labels. -/
@[category research open, AMS 5 68]
theorem natarajan.variants.chain_of_two :
    answer(sorry) ↔
      natarajanDim Structure.chainOfTwo 8 3 = vcDim (trees Structure.chainOfTwo 8) := by
  sorry

/-- They are equal for stumps. -/
@[category research solved, AMS 5 68]
theorem natarajan.variants.stumps (l n : ℕ) (hl : 1 ≤ l) (hn : 2 ≤ n) :
    natarajanDim Structure.stump l n = vcDim (trees Structure.stump l) := by
  sorry

end DecisionTrees
