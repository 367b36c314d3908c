(* Sums of stumps on two features (chapter "What do many trees cost?").

   In words: three stumps on two features shatter eight examples, and by the part rule B >= 3 stumps shatter 2 B + 2.
   For each labeling of the eight examples a table holds three stumps with small weights; Coq computes their sums. *)

From Coq Require Import List Arith Lia Bool Ring Ring_theory.
From Treebounds Require Import Definitions Counting GrowthBound RegressionTrees ManyTrees SignPatterns SumsOfStumps
  PartRule.
Import ListNotations.

(* ---- Small numbers in an ordered ring ---------------------------------------------------------------------------- *)

Section SmallNumbers.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).
  Hypothesis not_trivial : zero_number F <> one_number F.

  Lemma add_zero_right (u : F) : add F u (zero_number F) = u.
  Proof. ring. Qed.

  Fixpoint small (k : nat) : F := match k with 0 => zero_number F | S k' => add F (one_number F) (small k') end.

  Lemma small_add j k : small (j + k) = add F (small j) (small k).
  Proof. induction j as [|j IH]; cbn [small Nat.add]; [| rewrite IH]; ring. Qed.

  Lemma small_positive k : positive F (small (S k)) = true.
  Proof.
    induction k as [|k IH]; cbn [small] in *.
    - replace (add F (one_number F) (zero_number F)) with (one_number F) by ring. now apply one_positive.
    - apply positive_add; [now apply one_positive | exact IH].
  Qed.

  Lemma small_above j k : positive F (subtract F (small j) (small k)) = (k <? j).
  Proof.
    destruct (Nat.ltb_spec k j) as [L | L].
    - replace j with (k + S (j - k - 1)) by lia. rewrite small_add.
      replace (subtract F (add F (small k) (small (S (j - k - 1)))) (small k)) with (small (S (j - k - 1))) by ring.
      apply small_positive.
    - replace k with (j + (k - j)) by lia. rewrite small_add. destruct (k - j) as [|i].
      + replace (subtract F (small j) (add F (small j) (small 0))) with (zero_number F) by (cbn [small]; ring).
        apply zero_not_positive.
      + destruct (positive F (subtract F (small j) (add F (small j) (small (S i))))) eqn:E; auto. exfalso.
        apply (not_both_positive F _ (small_positive i)).
        now replace (opposite F (small (S i))) with (subtract F (small j) (add F (small j) (small (S i)))) by ring.
  Qed.
End SmallNumbers.

(* ---- Eight examples ------------------------------------------------------------------------------------------------ *)

(* Example i has the value i of feature 0, and that of the list of feature 1. *)
Definition eight_examples (i feature : nat) : nat :=
  if feature =? 0 then i else nth i [1; 6; 5; 2; 4; 0; 7; 3] 0.

(* A stump as a number: its feature, its threshold, and its values below and above. *)
Definition feature_of (c : nat) : nat := c / 32.
Definition threshold_of (c : nat) : nat := (c / 4) mod 8.
Definition below_of (c : nat) : nat := nth (c mod 4) [0; 0; 1; 2] 0.
Definition above_of (c : nat) : nat := nth (c mod 4) [1; 2; 0; 0] 0.

Definition value_of (c i : nat) : nat :=
  if eight_examples i (feature_of c) <=? threshold_of c then below_of c else above_of c.

Definition labels_of (row : nat * nat * nat * nat) : list nat :=
  let '(c1, c2, c3, threshold) := row in
  map (fun i => if threshold <? value_of c1 i + (value_of c2 i + value_of c3 i) then 1 else 0) (seq 0 8).

(* Three stumps and a threshold for each labeling. *)
Definition table : list (nat * nat * nat * nat) := [
  (0, 0, 0, 3); (0, 0, 24, 2); (0, 0, 56, 2); (0, 0, 20, 2); (0, 0, 34, 2); (0, 12, 46, 2); (0, 16, 26, 2);
  (0, 0, 16, 2); (0, 12, 18, 2); (0, 40, 50, 2); (0, 8, 44, 2); (0, 8, 40, 2); (0, 12, 22, 2); (0, 12, 50, 2);
  (0, 12, 26, 2); (0, 0, 12, 2); (0, 8, 14, 2); (0, 32, 46, 2); (8, 14, 56, 1); (8, 14, 20, 1); (0, 0, 42, 2);
  (0, 0, 46, 2); (0, 42, 56, 1); (0, 16, 42, 1); (0, 8, 18, 2); (0, 32, 50, 2); (8, 18, 56, 1); (0, 8, 32, 2);
  (0, 8, 22, 2); (0, 0, 50, 2); (0, 8, 26, 2); (0, 0, 8, 2); (0, 4, 10, 2); (4, 10, 24, 1); (0, 4, 48, 2);
  (4, 10, 20, 1); (4, 10, 34, 1); (16, 48, 55, 2); (4, 34, 48, 1); (4, 10, 16, 1); (0, 44, 54, 2);
  (0, 40, 54, 2); (0, 4, 44, 2); (0, 4, 40, 2); (34, 44, 54, 1); (12, 40, 55, 2); (4, 34, 44, 1);
  (4, 10, 12, 1); (0, 4, 14, 2); (4, 14, 24, 1); (4, 14, 56, 1); (4, 14, 20, 1); (4, 14, 34, 1);
  (5, 10, 46, 2); (4, 42, 48, 1); (4, 14, 16, 1); (0, 4, 18, 2); (0, 32, 54, 2); (4, 18, 56, 1); (0, 4, 32, 2);
  (0, 4, 22, 2); (0, 0, 54, 2); (0, 4, 26, 2); (0, 0, 4, 2); (0, 0, 6, 2); (0, 6, 24, 1); (0, 0, 52, 2);
  (0, 6, 20, 1); (0, 6, 34, 1); (16, 52, 59, 2); (0, 34, 52, 1); (0, 6, 16, 1); (6, 45, 50, 2); (6, 41, 50, 2);
  (6, 8, 44, 1); (6, 8, 40, 1); (12, 23, 52, 2); (12, 52, 59, 2); (12, 22, 52, 1); (0, 6, 12, 1);
  (6, 37, 42, 2); (6, 37, 46, 2); (8, 14, 52, 1); (36, 46, 52, 1); (1, 6, 42, 2); (1, 6, 46, 2);
  (0, 42, 52, 1); (0, 46, 52, 1); (8, 19, 52, 2); (6, 37, 50, 2); (8, 18, 52, 1); (6, 8, 36, 1);
  (8, 23, 52, 2); (1, 6, 50, 2); (8, 22, 52, 1); (0, 6, 8, 1); (0, 0, 10, 2); (0, 10, 24, 1); (0, 0, 48, 2);
  (0, 10, 20, 1); (0, 10, 34, 1); (16, 48, 59, 2); (0, 34, 48, 1); (0, 10, 16, 1); (0, 18, 40, 2);
  (0, 40, 58, 2); (0, 0, 44, 2); (0, 0, 40, 2); (12, 23, 40, 2); (12, 40, 59, 2); (0, 34, 44, 1);
  (0, 10, 12, 1); (0, 0, 14, 2); (0, 14, 24, 1); (0, 14, 48, 1); (0, 14, 20, 1); (0, 14, 34, 1);
  (1, 10, 46, 2); (0, 42, 48, 1); (0, 14, 16, 1); (0, 0, 18, 2); (0, 18, 24, 1); (0, 14, 44, 1); (0, 0, 32, 2);
  (0, 0, 22, 2); (0, 0, 58, 2); (0, 0, 26, 2); (0, 0, 0, 0); (0, 2, 2, 1); (0, 3, 24, 1); (0, 3, 56, 1);
  (0, 3, 20, 1); (0, 2, 38, 1); (0, 24, 39, 1); (0, 39, 56, 1); (0, 3, 16, 1); (2, 12, 18, 1); (2, 40, 50, 1);
  (3, 8, 44, 1); (2, 12, 32, 1); (2, 12, 22, 1); (2, 12, 50, 1); (2, 12, 26, 1); (0, 3, 12, 1); (0, 15, 43, 3);
  (0, 33, 47, 3); (14, 42, 57, 1); (14, 21, 42, 1); (0, 2, 42, 1); (0, 2, 46, 1); (0, 43, 56, 1);
  (0, 16, 43, 1); (0, 19, 51, 3); (0, 33, 51, 3); (18, 50, 57, 1); (2, 8, 32, 1); (0, 23, 51, 3);
  (0, 2, 50, 1); (2, 8, 26, 1); (0, 3, 8, 1); (0, 11, 55, 3); (10, 20, 54, 1); (3, 4, 48, 1); (10, 21, 54, 1);
  (4, 10, 38, 1); (10, 16, 54, 1); (4, 39, 48, 1); (10, 17, 54, 1); (2, 44, 54, 1); (2, 40, 54, 1);
  (3, 4, 44, 1); (3, 4, 40, 1); (38, 44, 54, 1); (10, 12, 54, 1); (4, 39, 44, 1); (4, 39, 40, 1);
  (0, 15, 55, 3); (14, 20, 54, 1); (14, 54, 57, 1); (14, 21, 54, 1); (4, 10, 42, 1); (4, 10, 46, 1);
  (4, 43, 48, 1); (4, 47, 48, 1); (0, 19, 55, 3); (0, 33, 55, 3); (18, 54, 57, 1); (2, 4, 32, 1);
  (0, 23, 55, 3); (0, 2, 54, 1); (2, 4, 26, 1); (0, 3, 4, 1); (0, 2, 6, 1); (0, 7, 24, 1); (0, 3, 52, 1);
  (0, 7, 20, 1); (0, 6, 38, 1); (6, 16, 58, 1); (0, 39, 52, 1); (0, 7, 16, 1); (6, 12, 18, 1); (6, 40, 50, 1);
  (7, 8, 44, 1); (6, 12, 32, 1); (6, 12, 22, 1); (6, 12, 58, 1); (6, 12, 26, 1); (0, 7, 12, 1); (6, 8, 14, 1);
  (6, 32, 46, 1); (14, 42, 53, 1); (32, 46, 52, 1); (0, 6, 42, 1); (0, 6, 46, 1); (0, 43, 52, 1);
  (0, 47, 52, 1); (6, 8, 18, 1); (6, 32, 50, 1); (18, 50, 53, 1); (6, 8, 32, 1); (6, 8, 22, 1); (0, 6, 50, 1);
  (6, 8, 26, 1); (0, 7, 8, 1); (0, 2, 10, 1); (0, 11, 24, 1); (0, 3, 48, 1); (0, 11, 20, 1); (0, 10, 38, 1);
  (10, 16, 58, 1); (0, 39, 48, 1); (0, 11, 16, 1); (2, 18, 40, 1); (2, 40, 58, 1); (0, 3, 44, 1);
  (0, 3, 40, 1); (10, 12, 22, 1); (10, 12, 58, 1); (0, 39, 44, 1); (0, 11, 12, 1); (0, 2, 14, 1);
  (0, 15, 24, 1); (0, 15, 48, 1); (0, 15, 20, 1); (0, 10, 42, 1); (0, 10, 46, 1); (0, 43, 48, 1);
  (0, 15, 16, 1); (0, 2, 18, 1); (0, 19, 24, 1); (0, 15, 44, 1); (0, 2, 32, 1); (0, 2, 22, 1); (0, 2, 58, 1);
  (0, 2, 26, 1); (0, 0, 2, 0)
].

Lemma table_holds_all_labelings : map labels_of table = all_labelings 2 8.
Proof. vm_compute. reflexivity. Qed.

Lemma features_of_table : forallb (fun row : nat * nat * nat * nat => let '(c1, c2, c3, _) := row in
  (feature_of c1 <? 2) && (feature_of c2 <? 2) && (feature_of c3 <? 2)) table = true.
Proof. vm_compute. reflexivity. Qed.

Section Eight.
  Variable F : ordered_ring.
  Variable R : linear_order.
  Variable e : nat -> R.
  Hypothesis not_trivial : zero_number F <> one_number F.
  Hypothesis increasing : forall u v : nat, le R (e u) (e v) = (u <=? v).

  Definition example_in_order (i feature : nat) : R := e (eight_examples i feature).

  Definition stump_of (c : nat) : regression_tree (nat -> R) F :=
    Split (fun x => le R (x (feature_of c)) (e (threshold_of c))) (Value (small F (below_of c)))
      (Value (small F (above_of c))).

  Lemma stump_of_fits c : feature_of c < 2 -> fits (threshold_test R 2) (stump_of c) (node leaf leaf).
  Proof.
    intros H. apply split_fits; [| constructor | constructor]. exists (feature_of c), (e (threshold_of c)). auto.
  Qed.

  Lemma stump_of_value c i : predict (stump_of c) (example_in_order i) = small F (value_of c i).
  Proof.
    unfold stump_of, value_of, example_in_order. cbn [predict]. rewrite increasing.
    now destruct (eight_examples i (feature_of c) <=? threshold_of c).
  Qed.

  Lemma three_stumps_shatter_eight :
    weighted_sums_shatter F (threshold_test R 2) (repeat (node leaf leaf) 3) (map example_in_order (seq 0 8)).
  Proof.
    intros y Ly Fy. rewrite map_length, seq_length in Ly.
    assert (I : In y (map labels_of table)) by (rewrite table_holds_all_labelings; now apply all_labelings_spec).
    apply in_map_iff in I as ([[[c1 c2] c3] threshold] & <- & I).
    pose proof features_of_table as H. rewrite forallb_forall in H. specialize (H _ I). cbv beta iota in H.
    apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. apply Nat.ltb_lt in H1, H2, H3.
    exists [stump_of c1; stump_of c2; stump_of c3], (small F threshold). split.
    { cbn [repeat]. repeat (apply Forall2_cons; [now apply stump_of_fits |]). apply Forall2_nil. }
    unfold labels_of. rewrite map_map. apply map_ext. intros i. unfold total. cbn [fold_right].
    rewrite !stump_of_value. rewrite <- (small_above F not_trivial), !small_add.
    assert (Z : forall u, add F u (zero_number F) = u) by exact (add_zero_right F). now rewrite Z.
  Qed.
End Eight.

Theorem stumps_on_two_features_lower_bound :
  forall (F : ordered_ring) (R : linear_order) (e : nat -> R), zero_number F <> one_number F ->
  (forall u v : nat, le R (e u) (e v) = (u <=? v)) -> forall B : nat, 3 <= B ->
  exists sample, length sample = 2 * B + 2 /\
    weighted_sums_shatter F (threshold_test R 2) (repeat (node leaf leaf) B) sample.
Proof.
  intros F R e H01 He B HB.
  destruct (part_rule F R e H01 He 2 2 (repeat (node leaf leaf) 3) (repeat (node leaf leaf) (B - 3)) _ (le_n 2)
    (three_stumps_shatter_eight F R e H01 He)) as (sample & L & H).
  exists sample. replace B with (3 + (B - 3)) at 2 by lia. rewrite repeat_app. split; auto.
  rewrite L, map_length, seq_length. assert (N : forall k, all_nodes (repeat (node leaf leaf) k) = k).
  { induction k as [|k IH]; auto. unfold all_nodes in *. cbn [repeat map list_sum fold_right internal_nodes].
    change (fold_right Nat.add 0 (map internal_nodes (repeat (node leaf leaf) k))) with
      (list_sum (map internal_nodes (repeat (node leaf leaf) k))). lia. }
  rewrite N. lia.
Qed.
