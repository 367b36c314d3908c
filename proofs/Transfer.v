(* Transfer: what trees can do with natural numbers as values they can do in every order that contains them.

   In words: let e embed the natural numbers into R, as the real numbers contain them. A lower bound of the
   growth function or of the VC dimension, for features with natural numbers as values, is one for values in
   R. *)

From Coq Require Import List Arith.
From Treebounds Require Import Definitions.
Import ListNotations.

Section Embedding.
  Variable R : linear_order.
  Variable e : nat -> R.
  Hypothesis increasing : forall u v : nat, le R (e u) (e v) = (u <=? v).
  Variables l n : nat.

  Definition embed (x : nat -> natural_numbers) (i : nat) : R := e (x i).

  Lemma tree_transfers T s : has_structure (threshold_test natural_numbers l) n T s ->
    exists T', has_structure (threshold_test R l) n T' s /\ forall x, evaluate T' (embed x) = evaluate T x.
  Proof.
    induction 1 as [c Hc | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & H1 & E1) _ (T2' & H2 & E2)
                         | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
    { exists (Leaf c). split; [now constructor | reflexivity]. }
    all: exists (Node (fun x => le R (x i) (e t)) T1' T2'); split.
    1: apply node_has; auto; now exists i, (e t).
    2: apply node_has_mirrored; auto; now exists i, (e t).
    all: intros x; cbn [evaluate]; rewrite Hq, E1, E2; unfold embed; now rewrite increasing.
  Qed.

  Lemma labeling_transfers s sample y : realizes (threshold_test natural_numbers l) n s sample y ->
    realizes (threshold_test R l) n s (map embed sample) y.
  Proof.
    intros (T & HT & <-). destruct (tree_transfers T s HT) as (T' & HT' & E). exists T'. split; auto.
    rewrite map_map. now apply map_ext.
  Qed.
End Embedding.

Theorem growth_lower_bounds_transfer :
  forall (R : linear_order) (e : nat -> R), (forall u v : nat, le R (e u) (e v) = (u <=? v)) ->
  forall (l n m K : nat) (s : structure),
  growth_at_least (threshold_test natural_numbers l) n s m K -> growth_at_least (threshold_test R l) n s m K.
Proof.
  intros R e He l n m K s (sample & labelings & Hm & ND & H & HK).
  exists (map (embed R e) sample), labelings. rewrite map_length.
  repeat split; auto using labeling_transfers.
Qed.

Theorem VC_dimension_lower_bounds_transfer :
  forall (R : linear_order) (e : nat -> R), (forall u v : nat, le R (e u) (e v) = (u <=? v)) ->
  forall (l d : nat) (s : structure),
  VC_dimension_at_least (threshold_test natural_numbers l) s d ->
    VC_dimension_at_least (threshold_test R l) s d.
Proof.
  intros R e He l d s (sample & Hd & H). exists (map (embed R e) sample). rewrite map_length. split; auto.
  intros y Hy F. rewrite map_length in Hy. now apply labeling_transfers, H.
Qed.
