(* Transfer: lower bounds for features with natural numbers as values hold for every order that contains them.

   In words: let e embed the natural numbers into R, as the real numbers contain them. If a structure realizes a
   labeling of a sample with natural numbers as values, it realizes the same labeling of the sample with their images
   in R. So lower bounds of the growth function and of the VC dimension carry over to R, and samples that sums of
   trees shatter or regression trees pseudo-shatter do so, too. *)

From Coq Require Import List Arith.
From Treebounds Require Import Definitions RegressionTrees ManyTrees.
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

Theorem partitioning_lower_bounds_transfer :
  forall (R : linear_order) (e : nat -> R), (forall u v : nat, le R (e u) (e v) = (u <=? v)) ->
  forall (l m K : nat) (s : structure),
  partitioning_at_least (threshold_test natural_numbers l) s m K -> partitioning_at_least (threshold_test R l) s m K.
Proof.
  intros R e He l m K s (sample & labelings & Hm & [H P] & HK).
  exists (map (embed R e) sample), labelings. rewrite map_length. repeat split; auto.
  - apply labeling_transfers; auto. now apply H.
  - now apply H.
  - now apply H.
Qed.

(* ---- Sums of trees, and regression trees ---------------------------------------------------------------------- *)

Theorem lower_bounds_for_sums_transfer :
  forall (R : linear_order) (e : nat -> R), (forall u v : nat, le R (e u) (e v) = (u <=? v)) ->
  forall (l : nat) (structures : list structure) (sample : list (nat -> nat)),
  sums_shatter (threshold_test natural_numbers l) structures sample ->
  sums_shatter (threshold_test R l) structures (map (fun x i => e (x i)) sample).
Proof.
  intros R e He l structures sample H y Hy F. rewrite map_length in Hy.
  destruct (H y Hy F) as (trees & threshold & HF & E). assert (G : exists trees',
    Forall2 (has_structure (threshold_test R l) 2) trees' structures /\
    forall x, sum_of_trees trees' (embed R e x) = sum_of_trees trees x).
  { clear - He HF. induction HF as [|T s trees structures HT _ (trees' & HF & E)]; [exists []; auto |].
    destruct (tree_transfers R e He l 2 T s HT) as (T' & HT' & E'). exists (T' :: trees'). split; auto.
    intros x. unfold sum_of_trees in *. cbn [map list_sum fold_right]. now rewrite E', E. }
  destruct G as (trees' & HF' & E'). exists trees', threshold. split; auto. rewrite map_map, <- E.
  apply map_ext. intros x. now rewrite <- E'.
Qed.

Theorem lower_bounds_for_regression_trees_transfer :
  forall (R V : linear_order) (e : nat -> R) (f : nat -> V),
  (forall u v : nat, le R (e u) (e v) = (u <=? v)) -> (forall u v : nat, le V (f u) (f v) = (u <=? v)) ->
  forall (l : nat) (s : structure) (sample : list ((nat -> nat) * nat)),
  pseudo_shattered natural_numbers (threshold_test natural_numbers l) s sample ->
  pseudo_shattered V (threshold_test R l) s (map (fun p => ((fun i => e (fst p i)), f (snd p))) sample).
Proof.
  intros R V e f He Hf l s sample H y Hy F. rewrite map_length in Hy. destruct (H y Hy F) as (T & HT & E).
  assert (G : exists T', fits (threshold_test R l) T' s /\ forall x,
    predict T' (embed R e x) = f (predict T x)).
  { clear - He HT. induction HT as [v | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & H1 & E1) _ (T2' & H2 & E2)
                                      | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
    { exists (Value (f v)). split; [constructor | reflexivity]. }
    all: exists (Split (fun x => le R (x i) (e t)) T1' T2'); split.
    1: apply split_fits; auto; now exists i, (e t).
    2: apply split_fits_mirrored; auto; now exists i, (e t).
    all: intros x; cbn [predict]; rewrite Hq, E1, E2; unfold embed at 1; rewrite He;
      change (le natural_numbers (x i) t) with (x i <=? t); now destruct (x i <=? t). }
  destruct G as (T' & HT' & E'). exists T'. split; auto. rewrite map_map, <- E. apply map_ext. intros [x t].
  cbn [fst snd]. change (fun i => e (x i)) with (embed R e x). rewrite E', Hf. reflexivity.
Qed.
