(* Purity trees and all-attribute trees, after Dhurandhar and Dobra (2008) (chapters "Paths of a random tree", "Purity trees").

   In words: if every path tests each attribute once, the leaf of an input holds the examples that are equal to it,
   whatever the order of the attributes. Let a rule give examples of one class this class. A tree that stops at nodes
   with at most one class gives each input the same label as the tree that never stops early, if an empty leaf
   inherits the label of its nearest ancestor that is not empty. Whatever the label of an empty leaf, it gives an
   input whose own cell holds an example the label that the rule gives this cell. *)

From Coq Require Import List Arith Lia Bool.
Import ListNotations.

(* An example: the value of each attribute, and a class. A sample is a list of them. *)
Definition input : Type := nat -> nat.
Definition example : Type := input * nat.
Definition sample : Type := list example.

(* The attribute that each node tests, with a subtree for each of its values; "Cell" if no attribute is left. *)
Inductive plan : Type :=
  | Cell
  | Ask (attribute : nat) (next : nat -> plan).

(* Every path tests each of the attributes in the list "left" once. *)
Inductive asks_all : list nat -> plan -> Prop :=
  | asks_none : asks_all [] Cell
  | asks_one a left next :
      In a left -> (forall v, asks_all (remove Nat.eq_dec a left) (next v)) -> asks_all left (Ask a next).

(* The examples of a node that have the value of x in attribute a. *)
Definition part (a : nat) (x : input) (S : sample) : sample := filter (fun z : example => fst z a =? x a) S.

(* The examples in the leaf of x, if a node is a leaf when "stops" holds for its examples. *)
Fixpoint leaf_of (stops : sample -> bool) (P : plan) (S : sample) (x : input) : sample :=
  match P with
  | Cell => S
  | Ask a next => if stops S then S else leaf_of stops (next (x a)) (part a x S) x
  end.

(* An all-attribute tree never stops early; a purity tree stops where at most one class occurs. *)
Definition never (S : sample) : bool := false.

Definition pure (S : sample) : bool :=
  match S with [] => true | z :: S' => forallb (fun z' : example => snd z' =? snd z) S' end.

(* The examples that are equal to x in the attributes of a list. *)
Definition cell (attributes : list nat) (x : input) (S : sample) : sample :=
  filter (fun z : example => forallb (fun a => fst z a =? x a) attributes) S.

(* The label of a node from the classes of its examples; an empty node inherits the label from above. *)
Definition label (rule : list nat -> nat) (S : sample) (above : nat) : nat :=
  match S with [] => above | _ => rule (map snd S) end.

Fixpoint classify (rule : list nat -> nat) (stops : sample -> bool) (P : plan) (S : sample) (above : nat) (x : input) : nat :=
  match P with
  | Cell => label rule S above
  | Ask a next =>
      if stops S then label rule S above else classify rule stops (next (x a)) (part a x S) (label rule S above) x
  end.

(* If all examples have one class, it is the label. The majority rule is an example. *)
Definition unanimous (rule : list nat -> nat) : Prop :=
  forall c y, y <> [] -> Forall (eq c) y -> rule y = c.

(* ---- All attributes ----------------------------------------------------------------------------------------------------- *)

Lemma cell_step a left x S : In a left -> cell (remove Nat.eq_dec a left) x (part a x S) = cell left x S.
Proof.
  intros Ha.
  assert (E : forall z : example, forallb (fun b => fst z b =? x b) left
    = (fst z a =? x a) && forallb (fun b => fst z b =? x b) (remove Nat.eq_dec a left)).
  { intros z. apply eq_true_iff_eq. rewrite andb_true_iff, !forallb_forall. split.
    - intros H. split; [now apply H |]. intros b Hb. apply H. now apply in_remove in Hb.
    - intros [H H'] b Hb. destruct (Nat.eq_dec b a) as [-> | N]; auto. apply H'. now apply in_in_remove. }
  unfold cell, part. induction S as [|z S IH]; auto. cbn [filter]. rewrite (E z).
  destruct (fst z a =? x a); cbn [andb filter]; [| exact IH].
  destruct (forallb _ (remove Nat.eq_dec a left)); now rewrite IH.
Qed.

Lemma cell_nothing x S : cell [] x S = S.
Proof. unfold cell. induction S as [|z S IH]; auto. cbn [filter forallb] in *. now f_equal. Qed.

Theorem all_attribute_trees_are_one :
  forall (attributes : list nat) (P : plan) (S : sample) (x : input),
  asks_all attributes P -> leaf_of never P S x = cell attributes x S.
Proof.
  intros A P S x H. revert S. induction H as [| a A next Ha _ IH]; intros S; cbn [leaf_of never].
  - now rewrite cell_nothing.
  - now rewrite IH, cell_step.
Qed.

(* ---- Purity -------------------------------------------------------------------------------------------------------------- *)

Lemma part_in a x S z : In z (part a x S) -> In z S.
Proof. intros H. now apply filter_In in H. Qed.

Lemma pure_class z S : pure (z :: S) = true -> forall z', In z' (z :: S) -> snd z = snd z'.
Proof.
  cbn [pure]. rewrite forallb_forall. intros H z' [<- | Hz]; auto. symmetry. now apply Nat.eqb_eq, H.
Qed.

Lemma label_of_one_class rule S c : unanimous rule -> (forall z, In z S -> c = snd z) -> label rule S c = c.
Proof.
  intros U H. destruct S as [|z S]; auto. unfold label. apply U; [discriminate |].
  apply Forall_map, Forall_forall. exact H.
Qed.

Lemma one_class_below rule P : unanimous rule -> forall S c x, (forall z, In z S -> c = snd z) ->
  classify rule never P S c x = c.
Proof.
  intros U. induction P as [| a next IH]; intros S c x H; cbn [classify never]; rewrite label_of_one_class; auto.
  apply IH. intros z Hz. apply H. eapply part_in, Hz.
Qed.

Theorem purity_tree_is_the_all_attribute_tree :
  forall (rule : list nat -> nat) (P : plan) (S : sample) (above : nat) (x : input), unanimous rule ->
  classify rule pure P S above x = classify rule never P S above x.
Proof.
  intros rule P S above x U. revert S above. induction P as [| a next IH]; intros S above; cbn [classify never]; auto.
  destruct (pure S) eqn:E; [| apply IH]. symmetry. apply one_class_below; auto. intros z Hz. apply part_in in Hz.
  destruct S as [|z0 S]; [destruct Hz |]. unfold label. rewrite (U (snd z0)); [now apply (pure_class z0 S) | discriminate |].
  apply Forall_map, Forall_forall. now apply pure_class.
Qed.

Theorem purity_tree_gives_the_label_of_the_cell :
  forall (rule : list nat -> nat) (attributes : list nat) (P : plan) (S : sample) (x : input),
  unanimous rule -> asks_all attributes P -> cell attributes x S <> [] ->
  leaf_of pure P S x <> [] /\ rule (map snd (leaf_of pure P S x)) = rule (map snd (cell attributes x S)).
Proof.
  intros rule A P S x U H. revert S. induction H as [| a A next Ha _ IH]; intros S N; cbn [leaf_of].
  - rewrite cell_nothing in *. auto.
  - destruct (pure S) eqn:E; [| rewrite <- (cell_step a A x S Ha) in *; now apply IH].
    assert (I : forall z, In z (cell A x S) -> In z S) by (intros z Hz; now apply filter_In in Hz).
    destruct S as [|z0 S]; [now destruct N |]. split; [discriminate |].
    rewrite (U (snd z0)); [symmetry; apply U | discriminate |].
    + destruct (cell A x (z0 :: S)); [now destruct N | discriminate].
    + apply Forall_map, Forall_forall. intros z Hz. apply (pure_class z0 S); auto.
    + apply Forall_map, Forall_forall. now apply pure_class.
Qed.
