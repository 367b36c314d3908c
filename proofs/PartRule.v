(* The part rule (chapter "What do many trees cost?"): a part of a sum of trees may keep a sample of its own.

   In words: let R be a linear order that contains the natural numbers in their order, such as the real numbers. If
   the sums of some trees, with numbers at the leaves, compared with a threshold, shatter d examples on l features with
   values in R, and C(g, floor(g / 2)) <= l, then the sums of these and of further trees with N internal nodes in all
   shatter d + N g examples on as many features. *)

From Coq Require Import List Arith Lia Bool Ring Ring_theory.
From Treebounds Require Import Definitions Counting Chains LowerBound Groups SubtreeRule RegressionTrees ManyTrees
  SignPatterns SumsOfStumps.
Import ListNotations.

(* ---- The sums of trees in another order of values ---------------------------------------------------------------- *)

Lemma total_app {X} (F : ordered_ring) (trees trees' : list (regression_tree X F)) x :
  total F (trees ++ trees') x = add F (total F trees x) (total F trees' x).
Proof.
  induction trees as [|T trees IH]; unfold total in *; cbn [app fold_right].
  - destruct (ring_laws F) as [Z _ _ _ _ _ _ _ _]. now rewrite Z.
  - rewrite IH. destruct (ring_laws F) as [_ _ A _ _ _ _ _ _]. now rewrite A.
Qed.

(* Trees on examples of another kind, which give the images of the examples of a sample the same values. *)
Lemma sums_carry_over {X Y} (F : ordered_ring) (allowed : test X -> Prop) (allowed' : test Y -> Prop)
  (image : X -> Y) (sample : list X) structures :
  (forall q, allowed q -> exists q', allowed' q' /\ forall x, In x sample -> q' (image x) = q x) ->
  weighted_sums_shatter F allowed structures sample ->
  weighted_sums_shatter F allowed' structures (map image sample).
Proof.
  intros Q H y Ly Fy. rewrite map_length in Ly. destruct (H y Ly Fy) as (trees & threshold & HF & E).
  assert (G : exists trees', Forall2 (fits allowed') trees' structures /\
    forall x, In x sample -> total F trees' (image x) = total F trees x).
  { clear E H. induction HF as [|T s trees structures HT _ (trees' & HF' & E')]; [exists []; split; auto |].
    assert (G : exists T', fits allowed' T' s /\ forall x, In x sample -> predict T' (image x) = predict T x).
    { induction HT as [v | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)
                         | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
      { exists (Value v). split; [constructor | reflexivity]. }
      all: destruct (Q q Hq) as (q' & Hq' & Eq); exists (Split q' T1' T2'); split.
      1: now apply split_fits.
      2: now apply split_fits_mirrored.
      all: intros x Hx; cbn [predict]; now rewrite Eq, E1, E2. }
    destruct G as (T' & HT' & ET). exists (T' :: trees'). split; [now constructor |].
    intros x Hx. unfold total in *. cbn [fold_right]. now rewrite ET, E'. }
  destruct G as (trees' & HF' & E'). exists trees', threshold. split; auto. rewrite map_map, <- E.
  apply map_ext_in. intros x Hx. now rewrite E'.
Qed.

(* The values of the examples of a sample, as natural numbers in the same order. *)
Definition ranked (R : linear_order) (sample : list (nat -> R)) (x : nat -> R) : nat -> natural_numbers :=
  fun i => S (length (filter (fun z => negb (le R (x i) (z i))) sample)).

Lemma rank_at_most (R : linear_order) (sample : list (nat -> R)) i t x : In x sample ->
  (ranked R sample x i <=? length (filter (fun z => le R (z i) t) sample)) = le R (x i) t.
Proof.
  intros Hx. unfold ranked. apply Bool.eq_true_iff_eq. rewrite Nat.leb_le. split; intros H.
  - destruct (le R (x i) t) eqn:E; auto. exfalso.
    assert (L : length (filter (fun z => le R (z i) t) sample) <=
      length (filter (fun z => negb (le R (x i) (z i))) sample)); [| lia].
    apply filter_length_le. intros z _ Hz. apply negb_true_iff. destruct (le R (x i) (z i)) eqn:Q; auto.
    rewrite (le_transitive R _ _ _ Q Hz) in E. discriminate.
  - apply (filter_length_lt _ _ _ x); auto.
    + intros z _ Hz. apply negb_true_iff in Hz. destruct (le_total R (x i) (z i)) as [Q | Q]; [congruence |].
      exact (le_transitive R _ _ _ Q H).
    + apply negb_false_iff. destruct (le_total R (x i) (x i)); auto.
Qed.

(* ---- The construction ------------------------------------------------------------------------------------------- *)

Section PartRule.
  Variables l g W : nat.
  Variable values : nat -> nat -> nat.
  Variable sets : list (list bool).
  Hypothesis cuts : cuts_off l g W values sets.
  Hypothesis every_set : forall A, length A = g -> In A sets.
  Hypothesis l_features : 1 <= l.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).

  Definition fitting := Forall2 (fits (X := nat -> natural_numbers) (V := F) (threshold_test natural_numbers l)).

  (* Thresholds above the sample of the part are moved down to just above it. *)
  Lemma regression_tree_below K (T : regression_tree (nat -> natural_numbers) F) s :
    fits (threshold_test natural_numbers l) T s ->
    exists T' v, fits (threshold_test natural_numbers l) T' s /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= K) -> predict T' x = predict T x) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> K < x i) -> predict T' x = v).
  Proof.
    induction 1 as [v | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & v1 & H1 & E1 & A1) _ (T2' & v2 & H2 & E2 & A2)
                      | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & v1 & H1 & E1 & A1) _ (T2' & v2 & H2 & E2 & A2)].
    { exists (Value v), v. split; [constructor | auto]. }
    all: exists (Split (fun x : nat -> natural_numbers => x i <=? Nat.min t K) T1' T2'), v2; split; [| split].
    1: apply split_fits; auto; exists i, (Nat.min t K); auto.
    3: apply split_fits_mirrored; auto; exists i, (Nat.min t K); auto.
    all: intros x Hx; cbn [predict]; specialize (Hx i Hi) as Hxi.
    1, 3: rewrite Hq, E1, E2 by auto; change (le natural_numbers (x i) t) with (x i <=? t);
      destruct (Nat.leb_spec (x i) (Nat.min t K)), (Nat.leb_spec (x i) t); auto; lia.
    all: destruct (Nat.leb_spec (x i) (Nat.min t K)); [lia | now apply A2].
  Qed.

  Lemma sum_below K trees structures : fitting trees structures ->
    exists trees' a, fitting trees' structures /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= K) -> total F trees' x = total F trees x) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> K < x i) -> total F trees' x = a).
  Proof.
    induction 1 as [|T s trees structures HT _ (trees' & a & HF & E & A)].
    { exists [], (zero_number F). split; [constructor | auto]. }
    destruct (regression_tree_below K T s HT) as (T' & v & HT' & ET & AT). exists (T' :: trees'), (add F v a).
    split; [now constructor |].
    split; intros x Hx; unfold total in *; cbn [fold_right]; [now rewrite ET, E | now rewrite AT, A].
  Qed.

  (* Leaves with the labels 0 and 1 get the numbers "level 0" and "level 1", less that of the first leaf. *)
  Lemma leveled (level : nat -> F) c T s : has_structure (threshold_test natural_numbers l) 2 T s ->
    exists T', fits (threshold_test natural_numbers l) T' s /\
      forall x, predict T' x = subtract F (level (evaluate T x)) (level c).
  Proof.
    induction 1 as [c' Hc | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)
                          | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
    { exists (Value (subtract F (level c') (level c))). split; [constructor | reflexivity]. }
    all: exists (Split q T1' T2'); split; [| intros x; cbn; destruct (q x); auto].
    - now apply split_fits.
    - now apply split_fits_mirrored.
  Qed.

  (* The sums of the other trees: 0 below all groups, and the level of the label of each example less that of c. *)
  Lemma other_trees_on_groups (level : nat -> F) f structures : (forall k e, f k e < 2) -> forall j c, c < 2 ->
    exists trees c', fitting trees structures /\ c' < 2 /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= j * W) -> total F trees x = zero_number F) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> (j + all_nodes structures) * W < x i) ->
        total F trees x = subtract F (level c') (level c)) /\
      (forall k e, j <= k < j + all_nodes structures -> e < g ->
        total F trees (member_of W values k e) = subtract F (level (f k e)) (level c)).
  Proof.
    intros B. induction structures as [|s ss IH]; intros j c Hc.
    { exists [], c. split; [constructor |]. split; [auto | split; [auto | split]].
      - intros x _. unfold total. cbn. ring.
      - unfold all_nodes. cbn. lia. }
    destruct (tree_on_groups l g W values sets cuts every_set l_features s f j c B Hc)
      as (T & c1 & HT & Hc1 & Lo & Hi & Mid).
    destruct (leveled level c T s HT) as (T' & HT' & ET).
    destruct (IH (j + internal_nodes s) c1 Hc1) as (trees & c' & HF & Hc' & Lo' & Hi' & Mid').
    set (N := internal_nodes s) in *.
    assert (E : all_nodes (s :: ss) = N + all_nodes ss) by reflexivity.
    assert (SUM : forall x, total F (T' :: trees) x = add F (predict T' x) (total F trees x)) by reflexivity.
    exists (T' :: trees), c'. rewrite E. rewrite <- Nat.add_assoc in Hi', Mid'.
    split; [now constructor | split; [auto | split; [| split]]].
    - intros x Hx. rewrite SUM, ET, (Lo x), (Lo' x); [ring | |]; intros i Hil; specialize (Hx i Hil); nia.
    - intros x Hx. rewrite SUM, ET, (Hi x), (Hi' x); [ring | |]; intros i Hil; specialize (Hx i Hil); nia.
    - intros k e Hk He. rewrite SUM, ET.
      pose proof (fun i => member_of_bounds l g W values sets cuts k e i) as HM.
      destruct (Nat.lt_ge_cases k (j + N)) as [L | L].
      + rewrite (Mid k e), (Lo' (member_of W values k e)); [ring | | lia | auto]. intros i _. specialize (HM i). nia.
      + rewrite (Hi (member_of W values k e)), (Mid' k e); [ring | lia | auto |]. intros i _. specialize (HM i). nia.
  Qed.

  Hypothesis not_trivial : zero_number F <> one_number F.

  Lemma one_positive : positive F (one_number F) = true.
  Proof.
    destruct (positive_or_opposite F (one_number F)) as [E | [E | E]]; [now elim not_trivial | exact E |].
    pose proof (positive_multiply F _ _ E E) as P.
    now replace (multiply F (opposite F (one_number F)) (opposite F (one_number F))) with (one_number F) in P by ring.
  Qed.

  (* Two levels, one on each side of the threshold; a number a is one of them. *)
  Lemma two_levels (a threshold : F) : exists (level : nat -> F) c, c < 2 /\ level c = a /\
    forall c', c' < 2 -> (if positive F (subtract F (level c') threshold) then 1 else 0) = c'.
  Proof.
    destruct (positive F (subtract F a threshold)) eqn:E.
    - exists (fun c => if c =? 1 then a else threshold), 1. repeat split; auto. intros c' Hc'.
      destruct (Nat.eqb_spec c' 1) as [-> | N]; [now rewrite E |].
      replace (subtract F threshold threshold) with (zero_number F) by ring. rewrite zero_not_positive. lia.
    - exists (fun c => if c =? 0 then a else add F threshold (one_number F)), 0. repeat split; auto. intros c' Hc'.
      destruct (Nat.eqb_spec c' 0) as [-> | N]; [now rewrite E |].
      replace (subtract F (add F threshold (one_number F)) threshold) with (one_number F) by ring.
      rewrite one_positive. lia.
  Qed.

  Lemma part_with_natural_numbers part others (sample : list (nat -> natural_numbers)) :
    weighted_sums_shatter F (threshold_test natural_numbers l) part sample ->
    exists sample', length sample' = length sample + all_nodes others * g /\
      weighted_sums_shatter F (threshold_test natural_numbers l) (part ++ others) sample'.
  Proof.
    intros H. assert (B : exists K, forall x i, In x sample -> i < l -> x i <= K) by (eapply bounded_sample; eauto).
    destruct B as (K & HK). set (N := all_nodes others).
    assert (HW : 1 <= W) by (pose proof (proj1 (proj2 cuts) 0 0); lia).
    exists (sample ++ groups g W values K N). split; [now rewrite app_length, groups_length |].
    intros y Hy Fy. rewrite app_length, groups_length in Hy.
    rewrite <- (firstn_skipn (length sample) y) in Fy |- *. apply Forall_app in Fy as [F1 F2].
    destruct (H (firstn (length sample) y)) as (trees & threshold & HF & E1); [rewrite firstn_length; lia | auto |].
    destruct (spread_all g N K (skipn (length sample) y)) as (f & Ef & Bf); [rewrite skipn_length; lia | auto |].
    destruct (sum_below K trees part HF) as (trees' & a & HF' & Below & Above).
    destruct (two_levels a threshold) as (level & c & Hc & Ha & Sides).
    destruct (other_trees_on_groups level f others Bf K c Hc) as (more & c' & HM & _ & Lo & _ & Mid).
    exists (trees' ++ more), threshold. split; [now apply Forall2_app |]. rewrite map_app. f_equal.
    - rewrite <- E1. apply map_ext_in. intros x Hx. rewrite total_app, Below, Lo by
        (intros i Hi; specialize (HK x i Hx Hi); nia).
      replace (add F (total F trees x) (zero_number F)) with (total F trees x) by ring. reflexivity.
    - rewrite Ef. apply labels_of_all_groups. intros k e Hk He.
      pose proof (fun i => member_of_bounds l g W values sets cuts k e i) as B.
      rewrite total_app, Mid, Above by (auto; intros i _; specialize (B i); nia). rewrite Ha.
      replace (add F a (subtract F (level (f k e)) a)) with (level (f k e)) by ring. apply Sides, Bf.
  Qed.
End PartRule.

Theorem part_rule :
  forall (F : ordered_ring) (R : linear_order) (e : nat -> R), zero_number F <> one_number F ->
  (forall u v : nat, le R (e u) (e v) = (u <=? v)) ->
  forall (l g : nat) (part further : list structure) (sample : list (nat -> R)), binomial g (g / 2) <= l ->
  weighted_sums_shatter F (threshold_test R l) part sample ->
  exists sample', length sample' = length sample + all_nodes further * g /\
    weighted_sums_shatter F (threshold_test R l) (part ++ further) sample'.
Proof.
  intros F R e H01 He l g part further sample Hg H.
  destruct (all_subsets_cut_off l g Hg) as (W & values & sets & C & E).
  assert (N : weighted_sums_shatter F (threshold_test natural_numbers l) part (map (ranked R sample) sample)).
  { apply (sums_carry_over F (threshold_test R l)); [| exact H]. intros q (i & t & Hi & Hq).
    set (t' := length (filter (fun z => le R (z i) t) sample)).
    exists (fun x : nat -> natural_numbers => x i <=? t'). split; [now exists i, t' |]. intros x Hx.
    rewrite Hq. now apply rank_at_most. }
  destruct (part_with_natural_numbers l g W values sets C E (some_feature l g Hg) F H01 part further _ N)
    as (sample' & L & H'). rewrite map_length in L. exists (map (fun x i => e (x i)) sample').
  split; [now rewrite map_length |]. apply (sums_carry_over F (threshold_test natural_numbers l)); [| exact H'].
  intros q (i & t & Hi & Hq). exists (fun x => le R (x i) (e t)). split; [now exists i, (e t) |]. intros x _.
  rewrite Hq. apply He.
Qed.
