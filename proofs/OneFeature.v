(* One feature (chapters "What do many trees cost?", "Regression trees: numbers at the leaves").

   In words: sums of one or more trees with M internal nodes in all, compared with a threshold, shatter M + 1
   examples, whatever the structures, and no more. Regression trees with N internal nodes pseudo-shatter 2 N + 1
   examples, and no more. *)

From Coq Require Import List Arith Lia Permutation Sorted.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Patterns RegressionTrees ManyTrees.
From Treebounds Require Import SignPatterns SumsOfStumps.
Import ListNotations.

(* The place of x in a list. *)
Fixpoint index (x : nat) (p : list nat) : nat :=
  match p with [] => 0 | y :: p' => if x =? y then 0 else S (index x p') end.

Lemma index_nth p : NoDup p -> forall k, k < length p -> index (nth k p 0) p = k.
Proof.
  induction 1 as [|x p NI ND IH]; intros k Hk; [cbn in Hk; lia |]. cbn [index]. destruct k as [|k]; cbn [nth].
  - now rewrite Nat.eqb_refl.
  - cbn [length] in Hk. destruct (Nat.eqb_spec (nth k p 0) x) as [E | _].
    + exfalso. apply NI. rewrite <- E. apply nth_In. lia.
    + f_equal. apply IH. lia.
Qed.

Section OneFeature.
  Variable R : linear_order.
  Variable sample : list (nat -> R).
  Variable default : nat -> R.

  Let d := length sample.
  Let at_ (x : nat) : nat -> R := nth x sample default.
  Let rank (i x : nat) : nat := position R (fun y => at_ y i) d x.
  Let p := order rank 0 (seq 0 d).

  Lemma p_length : length p = d.
  Proof. unfold p. now rewrite order_length, seq_length. Qed.

  (* A test changes its answer once along the order. *)
  Lemma one_change q : threshold_test R 1 q ->
    exists k0, forall k, S k < d -> k <> k0 -> q (at_ (nth k p 0)) = q (at_ (nth (S k) p 0)).
  Proof.
    intros Hq.
    destruct (cut_order 2 1 (le_n 2) rank (seq 0 d) _ (seq 0 d) (test_is_cut R 1 sample default q Hq)
      (incl_refl _))
      as (i & c & Hi & Hc & H1 & H2). replace i with 0 in * by lia. fold p in H1, H2.
    assert (V : forall k, k < d -> q (at_ (nth k p 0)) = (k <? c)).
    { intros k Hk. pose proof p_length as L. destruct (Nat.ltb_spec k c) as [C | C].
      - assert (I : In (nth k p 0) (firstn c p)).
        { pose proof (app_nth1 (firstn c p) (skipn c p) 0 (n := k) ltac:(rewrite firstn_length; lia)) as N.
          rewrite firstn_skipn in N. rewrite N. apply nth_In. rewrite firstn_length. lia. }
        apply H1, filter_In in I. apply I.
      - assert (I : In (nth k p 0) (skipn c p)).
        { pose proof (app_nth2 (firstn c p) (skipn c p) 0 (n := k) ltac:(rewrite firstn_length; lia)) as N.
          rewrite firstn_skipn in N. rewrite N. apply nth_In. rewrite firstn_length, skipn_length. lia. }
        apply H2, filter_In in I as [_ I]. now apply Bool.negb_true_iff in I. }
    exists (c - 1). intros k Hk NE. rewrite !V by lia. apply Bool.eq_true_iff_eq. rewrite !Nat.ltb_lt. lia.
  Qed.

  Lemma tree_changes {V} (T : regression_tree (nat -> R) V) s : fits (threshold_test R 1) T s ->
    exists K, length K <= internal_nodes s /\ forall k, S k < d -> ~ In k K ->
      predict T (at_ (nth k p 0)) = predict T (at_ (nth (S k) p 0)).
  Proof.
    induction 1 as [v | q T1 T2 a b Hq _ (K1 & L1 & E1) _ (K2 & L2 & E2)
                      | q T1 T2 a b Hq _ (K1 & L1 & E1) _ (K2 & L2 & E2)].
    { exists []. cbn. auto. }
    all: destruct (one_change q Hq) as (k0 & H0); exists (k0 :: K1 ++ K2); cbn [length internal_nodes].
    all: rewrite app_length; split; [lia |]; intros k Hk NI; cbn [predict].
    all: rewrite H0, E1, E2 by (auto; intros I; apply NI; cbn; rewrite ?in_app_iff; auto); reflexivity.
  Qed.

  Lemma p_inside k : k < d -> nth k p 0 < d.
  Proof.
    intros Hk. assert (I : In (nth k p 0) p) by (apply nth_In; rewrite p_length; exact Hk).
      apply order_in, in_seq in I. lia.
  Qed.

  Lemma p_index k : k < d -> index (nth k p 0) p = k.
  Proof. intros Hk. apply index_nth; [apply order_NoDup, seq_NoDup | rewrite p_length; exact Hk]. Qed.

  Variable F : ordered_ring.

  Lemma sum_changes trees structures : Forall2 (fits (threshold_test R 1)) trees structures ->
    exists K, length K <= all_nodes structures /\ forall k, S k < d -> ~ In k K ->
      total F trees (at_ (nth k p 0)) = total F trees (at_ (nth (S k) p 0)).
  Proof.
    induction 1 as [|T s trees structures HT _ (K & L & E)]. { exists []. cbn. auto. }
    destruct (tree_changes T s HT) as (K1 & L1 & E1). exists (K1 ++ K). rewrite app_length. split.
    - change (all_nodes (s :: structures)) with (internal_nodes s + all_nodes structures). lia.
    - intros k Hk NI. unfold total in *. cbn [fold_right]. rewrite in_app_iff in NI. rewrite E1, E; auto.
  Qed.

  Lemma few_on_one_feature structures : weighted_sums_shatter F (threshold_test R 1) structures sample ->
    d <= 1 + all_nodes structures.
  Proof.
    intros H. destruct (H (map (fun x => index x p mod 2) (seq 0 d))) as (trees & threshold & HF & E).
    { now rewrite map_length, seq_length. }
    { apply Forall_map, Forall_forall. intros x _. now apply Nat.mod_upper_bound. }
    destruct (sum_changes trees structures HF) as (K & L & C).
    assert (V : forall k, k < d ->
      (if positive F (subtract F (total F trees (at_ (nth k p 0))) threshold) then 1 else 0) = k mod 2).
    { intros k Hk. pose proof (p_inside k Hk) as B.
      apply (f_equal (fun y => nth (nth k p 0) y 0)) in E. rewrite map_nth_in_seq in E by exact B.
      rewrite p_index in E by exact Hk. rewrite <- E.
      set (g := fun x : nat -> R => if positive F (subtract F (total F trees x) threshold) then 1 else 0).
      rewrite (nth_indep (map g sample) 0 (g default)) by (rewrite map_length; exact B).
        now rewrite (map_nth g). }
    assert (I : incl (seq 0 (d - 1)) K).
    { intros k Hk. apply in_seq in Hk. destruct (in_dec Nat.eq_dec k K) as [I | NI]; auto. exfalso.
      pose proof (V k ltac:(lia)) as V1. pose proof (V (S k) ltac:(lia)) as V2.
      rewrite (C k ltac:(lia) NI), V2 in V1. 
      pose proof (Nat.div_mod_eq k 2). pose proof (Nat.div_mod_eq (S k) 2). lia. }
    apply NoDup_incl_length in I; [| apply seq_NoDup]. rewrite seq_length in I. lia.
  Qed.
End OneFeature.

Theorem sums_of_trees_on_one_feature_upper_bound :
  forall (F : ordered_ring) (R : linear_order) (structures : list structure) (sample : list (nat -> R)),
  weighted_sums_shatter F (threshold_test R 1) structures sample -> length sample <= 1 + all_nodes structures.
Proof.
  intros F R structures [|x sample] H; [cbn; lia |].
  exact (few_on_one_feature R (x :: sample) x F structures H).
Qed.

Theorem sums_of_trees_on_one_feature_lower_bound :
  forall structures : list structure, structures <> [] ->
  exists sample, length sample = 1 + all_nodes structures /\
    sums_shatter (threshold_test natural_numbers 1) structures sample.
Proof.
  intros structures NE. destruct (sums_of_trees_lower_bound 1 1 structures (le_n 1) NE) as (sample & L & H).
  exists sample. split; auto. lia.
Qed.

(* ---- Regression trees ----------------------------------------------------------------------------------------- *)

Section Regression.
  Variables R V : linear_order.
  Variable sample : list ((nat -> R) * V).
  Variable default : (nat -> R) * V.

  Let d := length sample.
  Let at_ (x : nat) : nat -> R := nth x (map fst sample) (fst default).
  Let threshold (x : nat) : V := nth x (map snd sample) (snd default).
  Let p := order (fun i x => position R (fun y => at_ y i) (length (map fst sample)) x) 0
    (seq 0 (length (map fst sample))).

  (* Of two neighbors the one with the larger threshold is to be above it, and the other one not. *)
  Definition opposed (k : nat) : nat :=
    if Nat.even k then (if le V (threshold (nth k p 0)) (threshold (nth (S k) p 0)) then 0 else 1)
    else (if le V (threshold (nth (k - 1) p 0)) (threshold (nth k p 0)) then 1 else 0).

  Lemma few_pairs s : pseudo_shattered V (threshold_test R 1) s sample -> d <= 2 * internal_nodes s + 1.
  Proof.
    intros H. assert (LE : length (map fst sample) = d) by apply map_length.
    destruct (H (map (fun x => opposed (index x p)) (seq 0 d))) as (T & HT & E).
    { now rewrite map_length, seq_length. }
    { apply Forall_map, Forall_forall. intros x _. unfold opposed.
      destruct (Nat.even _), (le V _ _); auto. }
    destruct (tree_changes R (map fst sample) (fst default) T s HT) as (K & L & C0).
    assert (C : forall k, S k < d -> ~ In k K -> predict T (at_ (nth k p 0)) = predict T (at_ (nth (S k) p
      0)))
      by (intros k Hk; rewrite <- LE in Hk; exact (C0 k Hk)).
    assert (W : forall k, k < d ->
      (if le V (predict T (at_ (nth k p 0))) (threshold (nth k p 0)) then 0 else 1) = opposed k).
    { intros k Hk. rewrite <- LE in Hk.
      assert (B : nth k p 0 < d) by (rewrite <- LE; exact (p_inside R (map fst sample) (fst default) k Hk)).
      assert (IX : index (nth k p 0) p = k) by exact (p_index R (map fst sample) (fst default) k Hk).
      apply (f_equal (fun y => nth (nth k p 0) y 0)) in E. rewrite map_nth_in_seq in E by exact B.
      rewrite IX in E. rewrite <- E.
      set (g := fun x : (nat -> R) * V => if le V (predict T (fst x)) (snd x) then 0 else 1).
      rewrite (nth_indep (map g sample) 0 (g default)) by (rewrite map_length; exact B). rewrite (map_nth g).
      unfold g, at_, threshold. now rewrite !map_nth. }
    destruct (Nat.le_gt_cases d (2 * internal_nodes s + 1)) as [G | G]; auto. exfalso.
    assert (I : incl (map (fun i => 2 * i) (seq 0 (S (internal_nodes s)))) K).
    { intros k Hk. apply in_map_iff in Hk as (i & <- & Hi). apply in_seq in Hi.
      destruct (in_dec Nat.eq_dec (2 * i) K) as [I | NI]; auto. exfalso.
      pose proof (W (2 * i) ltac:(lia)) as W1. pose proof (W (S (2 * i)) ltac:(lia)) as W2.
      rewrite (C (2 * i) ltac:(lia) NI) in W1. unfold opposed in W1, W2.
      rewrite Nat.even_succ, <- Nat.negb_even, Nat.even_mul in W2. rewrite Nat.even_mul in W1.
        cbn [Nat.even orb negb] in W1, W2.
      replace (S (2 * i) - 1) with (2 * i) in W2 by lia.
      set (v := predict T (at_ (nth (S (2 * i)) p 0))) in *.
      set (t := threshold (nth (2 * i) p 0)) in *. set (t' := threshold (nth (S (2 * i)) p 0)) in *.
      destruct (le V t t') eqn:Q.
      - destruct (le V v t) eqn:E1; [| discriminate]. rewrite (le_transitive V v t t' E1 Q) in W2.
        discriminate.
      - destruct (le V v t') eqn:E2; [| discriminate]. destruct (le_total V t t') as [Q' | Q'];
        [congruence |].
        rewrite (le_transitive V v t' t E2 Q') in W1. discriminate. }
    apply NoDup_incl_length in I.
    - rewrite map_length, seq_length in I. lia.
    - apply NoDup_map_injective; [apply seq_NoDup |]. intros. lia.
  Qed.
End Regression.

Theorem pseudo_dimension_on_one_feature_upper_bound :
  forall (R V : linear_order) (s : structure) (sample : list ((nat -> R) * V)),
  pseudo_shattered V (threshold_test R 1) s sample -> length sample <= 2 * internal_nodes s + 1.
Proof.
  intros R V s [|x sample] H; [cbn; lia |]. exact (few_pairs R V (x :: sample) x s H).
Qed.
