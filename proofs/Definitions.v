(* Definitions on which the theorems of this folder rest.

   A reader who wants to trust the theorems has to read this file and the definitions at the top of the files on
   multiway nodes, prunings, written trees, purity trees, regression trees and sums of trees; Coq checks the rest.
   This file defines tree structures, decision trees with a structure, the labelings of a sample that a structure
   realizes, the growth function, shattered samples and the VC dimension. All counts are natural numbers; the values
   of features belong to any linear order. *)

From Coq Require Import List Arith.
Import ListNotations.

(* ---- Numbers ------------------------------------------------------------------------------------------------ *)

(* The binomial coefficient "N choose k", by Pascal's rule. *)
Fixpoint binomial (N k : nat) : nat :=
  match k, N with
  | 0, _ => 1
  | S _, 0 => 0
  | S k', S N' => binomial N' k' + binomial N' k
  end.

(* sum K f = f 0 + f 1 + ... + f (K - 1). *)
Fixpoint sum (K : nat) (f : nat -> nat) : nat :=
  match K with 0 => 0 | S K' => sum K' f + f K' end.

(* ---- Tree structures ---------------------------------------------------------------------------------------- *)

Inductive structure : Type :=
  | leaf
  | node (left right : structure).

Fixpoint internal_nodes (s : structure) : nat :=
  match s with leaf => 0 | node a b => 1 + internal_nodes a + internal_nodes b end.

Fixpoint leaves (s : structure) : nat :=
  match s with leaf => 1 | node a b => leaves a + leaves b end.

(* Two plane structures are the same unordered structure if left and right can be exchanged at nodes of one of them
   so that the other one results. *)
Inductive same_structure : structure -> structure -> Prop :=
  | same_leaf : same_structure leaf leaf
  | same_straight a b a' b' :
      same_structure a a' -> same_structure b b' -> same_structure (node a b) (node a' b')
  | same_mirrored a b a' b' :
      same_structure a b' -> same_structure b a' -> same_structure (node a b) (node a' b').

(* ---- Decision trees ----------------------------------------------------------------------------------------- *)

Definition test (example : Type) : Type := example -> bool.

(* A leaf holds the label of a class, a number. An internal node holds a test; examples that pass it go to "yes". *)
Inductive decision_tree (example : Type) : Type :=
  | Leaf (label : nat)
  | Node (passes : test example) (yes no : decision_tree example).
Arguments Leaf {example}.
Arguments Node {example}.

Fixpoint evaluate {example} (T : decision_tree example) (x : example) : nat :=
  match T with
  | Leaf c => c
  | Node passes yes no => if passes x then evaluate yes x else evaluate no x
  end.

(* T has the structure s, up to mirror images at any of its nodes. The tests that a node may hold depend on the
   features: "allowed" says which. "n" is the number of classes: labels are 0, ..., n - 1. *)
Inductive has_structure {example} (allowed : test example -> Prop) (n : nat) : decision_tree example -> structure -> Prop :=
  | leaf_has c : c < n -> has_structure allowed n (Leaf c) leaf
  | node_has q T1 T2 a b :
      allowed q -> has_structure allowed n T1 a -> has_structure allowed n T2 b ->
      has_structure allowed n (Node q T1 T2) (node a b)
  | node_has_mirrored q T1 T2 a b :
      allowed q -> has_structure allowed n T1 b -> has_structure allowed n T2 a ->
      has_structure allowed n (Node q T1 T2) (node a b).

(* The labeling y of the sample (a list of examples) is realized by a decision tree with structure s. *)
Definition realizes {example} (allowed : test example -> Prop) (n : nat) (s : structure) (sample : list example)
  (y : list nat) : Prop :=
  exists T, has_structure allowed n T s /\ map (evaluate T) sample = y.

(* Bounds of the growth function: the largest number of distinct labelings of m examples. *)
Definition growth_at_most {example} (allowed : test example -> Prop) (n : nat) (s : structure) (m K : nat) : Prop :=
  forall sample labelings, length sample = m -> NoDup labelings ->
    (forall y, In y labelings -> realizes allowed n s sample y) -> length labelings <= K.

Definition growth_at_least {example} (allowed : test example -> Prop) (n : nat) (s : structure) (m K : nat) : Prop :=
  exists sample labelings, length sample = m /\ NoDup labelings /\
    (forall y, In y labelings -> realizes allowed n s sample y) /\ length labelings = K.

Definition growth_is {example} (allowed : test example -> Prop) (n : nat) (s : structure) (m K : nat) : Prop :=
  growth_at_most allowed n s m K /\ growth_at_least allowed n s m K.

(* A sample is shattered if every labeling with two classes is realized. *)
Definition shattered {example} (allowed : test example -> Prop) (s : structure) (sample : list example) : Prop :=
  forall y, length y = length sample -> Forall (fun c => c < 2) y -> realizes allowed 2 s sample y.

Definition VC_dimension_at_least {example} (allowed : test example -> Prop) (s : structure) (d : nat) : Prop :=
  exists sample, length sample = d /\ shattered allowed s sample.

Definition VC_dimension_at_most {example} (allowed : test example -> Prop) (s : structure) (d : nat) : Prop :=
  forall sample, shattered allowed s sample -> length sample <= d.

(* Two labelings are the same partition of the sample if they put the same examples together. *)
Definition same_partition (y y' : list nat) : Prop :=
  length y = length y' /\
  forall i j, i < length y -> j < length y -> (nth i y 0 = nth j y 0 <-> nth i y' 0 = nth j y' 0).

(* Partitions into two parts: labelings with the classes 0 and 1, both of which occur, and no two of which are the
   same partition. The partitioning function pi^2_T(m) is the largest number of them on m examples. *)
Definition two_partitions {example} (allowed : test example -> Prop) (s : structure) (sample : list example)
  (labelings : list (list nat)) : Prop :=
  (forall y, In y labelings -> realizes allowed 2 s sample y /\ In 0 y /\ In 1 y) /\
  ForallOrdPairs (fun y y' => ~ same_partition y y') labelings.

Definition partitioning_at_most {example} (allowed : test example -> Prop) (s : structure) (m K : nat) : Prop :=
  forall sample labelings, length sample = m -> two_partitions allowed s sample labelings -> length labelings <= K.

Definition partitioning_at_least {example} (allowed : test example -> Prop) (s : structure) (m K : nat) : Prop :=
  exists sample labelings, length sample = m /\ two_partitions allowed s sample labelings /\ length labelings = K.

(* ---- Features ----------------------------------------------------------------------------------------------- *)

(* A feature takes its values in a linear order: the real numbers, or any other. *)
Record linear_order : Type := {
  value :> Type;
  le : value -> value -> bool;
  le_total : forall u v, le u v = true \/ le v u = true;
  le_transitive : forall u v w, le u v = true -> le v w = true -> le u w = true;
  le_antisymmetric : forall u v, le u v = true -> le v u = true -> u = v
}.

Definition natural_numbers : linear_order := {|
  value := nat;
  le := Nat.leb;
  le_total := ltac:(intros u v; rewrite !Nat.leb_le; apply Nat.le_ge_cases);
  le_transitive := ltac:(intros u v w; rewrite !Nat.leb_le; apply Nat.le_trans);
  le_antisymmetric := ltac:(intros u v; rewrite !Nat.leb_le; apply Nat.le_antisymm)
|}.

(* An example on l features is its list of feature values, here a function from the number of a feature to its
   value; a test compares one of the features 0, ..., l - 1 with a threshold. *)
Definition threshold_test (R : linear_order) (l : nat) (passes : test (nat -> R)) : Prop :=
  exists i t, i < l /\ forall x, passes x = le R (x i) t.

(* Features of several kinds: l real-valued ones, and features with finitely many values, which offer the tests in
   the list "finite" (all the partitions of their values that a node may use). *)
Definition threshold_or_finite_test {X} (R : linear_order) (real : X -> nat -> R) (l : nat) (finite : list (test X))
  (passes : test X) : Prop :=
  (exists i t, i < l /\ forall x, passes x = le R (real x i) t) \/
  (exists q, In q finite /\ forall x, passes x = q x).

(* Binary features: an example is a list of d bits, a test looks at one of them. *)
Definition binary_test (d : nat) (passes : test (nat -> bool)) : Prop :=
  exists i, i < d /\ forall x, passes x = x i.
