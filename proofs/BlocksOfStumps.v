(* Blocks of stumps (chapter "What do many trees cost?").

   In words: sums of some trees shatter a sample, and sums of n stumps another one, of which one example comes first
   along every feature. Then the sums of these trees and of n further stumps shatter as many examples as both samples
   have together, less the one that comes first. Four stumps on two features shatter ten examples of this kind, so B
   >= 3 stumps on two features shatter 2 B + 2 + floor((B - 3) / 4) examples. *)

From Coq Require Import List Arith Lia Bool Ring Ring_theory.
From Treebounds Require Import Definitions Counting GrowthBound SubtreeRule RegressionTrees ManyTrees SignPatterns
  SumsOfStumps PartRule StumpsOnTwoFeatures.
Import ListNotations.

(* ---- Numbers of an ordered ring ------------------------------------------------------------------------------ *)

Section Numbers.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).

  Lemma positive_multiple p u : positive F p = true -> positive F (multiply F p u) = positive F u.
  Proof.
    intros P. destruct (positive_or_opposite F u) as [-> | [U | U]].
    - now replace (multiply F p (zero_number F)) with (zero_number F) by ring.
    - rewrite U. now apply positive_multiply.
    - assert (Q := positive_multiply F _ _ P U).
      replace (multiply F p (opposite F u)) with (opposite F (multiply F p u)) in Q by ring.
      destruct (positive F (multiply F p u)) eqn:E1, (positive F u) eqn:E2; auto.
      + now destruct (not_both_positive F _ E1 Q).
      + now destruct (not_both_positive F _ E2 U).
  Qed.

  Definition size (u : F) : F := if positive F u then u else opposite F u.

  Lemma size_positive u : u <> zero_number F -> positive F (size u) = true.
  Proof.
    intros N. unfold size. destruct (positive F u) eqn:E; auto.
    destruct (positive_or_opposite F u) as [Z | [P | P]]; congruence.
  Qed.

  (* Two numbers on the same side of 0, each times the size of the other. *)
  Lemma sizes_exchanged u v : positive F u = positive F v -> multiply F (size v) u = multiply F (size u) v.
  Proof. intros E. unfold size. rewrite E. destruct (positive F v); ring. Qed.
End Numbers.

(* ---- Trees with larger numbers, and sums that are not equal to their threshold ------------------------------- *)

Section Scaled.
  Variable X : Type.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).
  Variable allowed : test X -> Prop.

  Lemma scaled_tree p (T : regression_tree X F) s : fits allowed T s ->
    exists T', fits allowed T' s /\ forall x, predict T' x = multiply F p (predict T x).
  Proof.
    induction 1 as [v | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)
                      | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
    { exists (Value (multiply F p v)). split; [constructor | reflexivity]. }
    all: exists (Split q T1' T2'); split; [| intros x; cbn; destruct (q x); auto].
    - now apply split_fits.
    - now apply split_fits_mirrored.
  Qed.

  Lemma scaled_sum p trees structures : Forall2 (fits allowed) trees structures ->
    exists trees', Forall2 (fits allowed) trees' structures /\
      forall x, total F trees' x = multiply F p (total F trees x).
  Proof.
    induction 1 as [|T s trees structures HT _ (trees' & HF & E)].
    { exists []. split; [constructor |]. intros x. unfold total. cbn. ring. }
    destruct (scaled_tree p T s HT) as (T' & HT' & ET). exists (T' :: trees'). split; [now constructor |].
    intros x. unfold total in *. cbn [fold_right]. rewrite ET, E. ring.
  Qed.

  Hypothesis not_trivial : zero_number F <> one_number F.

  Definition two : F := add F (one_number F) (one_number F).

  Lemma two_positive : positive F two = true.
  Proof. apply positive_add; now apply one_positive. Qed.

  (* Twice the trees, and a threshold that no example attains. *)
  Lemma threshold_not_attained trees structures threshold (sample : list X) :
    Forall2 (fits allowed) trees structures ->
    exists trees' threshold', Forall2 (fits allowed) trees' structures /\
      (forall x, total F trees' x = multiply F two (total F trees x)) /\
      forall x, In x sample -> subtract F (total F trees' x) threshold' <> zero_number F /\
        positive F (subtract F (total F trees' x) threshold') = positive F (subtract F (total F trees x) threshold).
  Proof.
    intros HF. destruct (scaled_sum two trees structures HF) as (trees' & HF' & E).
    assert (S : exists h, positive F h = true /\ forall x, In x sample ->
      positive F (subtract F (total F trees x) threshold) = true -> subtract F (total F trees x) threshold = h \/
      positive F (subtract F (subtract F (total F trees x) threshold) h) = true).
    { pose (P := one_positive F not_trivial). clearbody P. clear - P.
      induction sample as [|x sample (h & Hh & H)]. { exists (one_number F). split; [exact P | intros ? []]. }
      set (u := subtract F (total F trees x) threshold). destruct (positive F u) eqn:U.
      2:{ exists h. split; auto. intros z [<- | Hz] Pz; [unfold u in U; congruence | auto]. }
      destruct (positive_or_opposite F (subtract F u h)) as [Z | [Q | Q]].
      - exists h. split; auto. intros z [<- | Hz] Pz; auto. left. fold u.
        replace h with (add F h (zero_number F)) by ring. rewrite <- Z. ring.
      - exists h. split; auto. intros z [<- | Hz] Pz; auto.
      - exists u. split; auto. intros z [<- | Hz] Pz; auto. right.
        replace (opposite F (subtract F u h)) with (subtract F h u) in Q by ring.
        destruct (H z Hz Pz) as [-> | G]; auto.
        replace (subtract F (subtract F (total F trees z) threshold) u) with
          (add F (subtract F (subtract F (total F trees z) threshold) h) (subtract F h u)) by ring.
        now apply positive_add. }
    destruct S as (h & Hh & S). exists trees', (add F (multiply F two threshold) h).
    split; [auto | split; [auto |]]. intros x Hx. specialize (S x Hx). rewrite E.
    set (u := subtract F (total F trees x) threshold) in *.
    replace (subtract F (multiply F two (total F trees x)) (add F (multiply F two threshold) h))
      with (subtract F (multiply F two u) h) by (unfold u, two; ring).
    destruct (positive F u) eqn:U.
    - assert (P : positive F (subtract F (multiply F two u) h) = true).
      { destruct (S eq_refl) as [<- | G].
        - now replace (subtract F (multiply F two u) u) with u by (unfold two; ring).
        - replace (subtract F (multiply F two u) h) with (add F u (subtract F u h)) by (unfold two; ring).
          now apply positive_add. }
      split; auto. intros Z. rewrite Z, zero_not_positive in P. discriminate.
    - assert (P : positive F (opposite F (subtract F (multiply F two u) h)) = true).
      { replace (opposite F (subtract F (multiply F two u) h)) with (add F h (multiply F two (opposite F u)))
          by (unfold two; ring).
        destruct (positive_or_opposite F u) as [-> | [V | V]]; [| congruence |].
        - now replace (add F h (multiply F two (opposite F (zero_number F)))) with h by ring.
        - apply positive_add; auto. apply positive_multiply; auto using two_positive. }
      split.
      + intros Z. rewrite Z in P. replace (opposite F (zero_number F)) with (zero_number F) in P by ring.
        rewrite zero_not_positive in P. discriminate.
      + destruct (positive F (subtract F (multiply F two u) h)) eqn:Q; auto.
        now destruct (not_both_positive F _ Q P).
  Qed.
End Scaled.

(* ---- A block behind a sample --------------------------------------------------------------------------------- *)

Section Block.
  Variable l : nat.
  Hypothesis l_features : 1 <= l.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).
  Hypothesis not_trivial : zero_number F <> one_number F.

  Definition stump_shape : structure := node leaf leaf.
  Definition stumps (n : nat) : list structure := repeat stump_shape n.

  (* The threshold is moved: what is up to K goes the way of the first example. *)
  Lemma stump_moved (first : nat -> natural_numbers) K (T : regression_tree (nat -> natural_numbers) F) :
    fits (threshold_test natural_numbers l) T stump_shape ->
    exists T', fits (threshold_test natural_numbers l) T' stump_shape /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= K) -> predict T' x = predict T first) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> first i < x i) ->
        predict T' (fun i => K + x i) = predict T x).
  Proof.
    intros H. inversion H as [| q T1 T2 a b Hq H1 H2 | q T1 T2 a b Hq H1 H2]; subst.
    all: inversion H1 as [v1 | |]; inversion H2 as [v2 | |]; subst; destruct Hq as (i & t & Hi & Q).
    all: assert (Qf := Q first); change (le natural_numbers (first i) t) with (first i <=? t) in Qf.
    all: destruct (Nat.lt_ge_cases t (first i)) as [C | C].
    (* The first example goes right: so do all. *)
    1, 3: exists (Split (fun x : nat -> natural_numbers => x i <=? K) (Value v2) (Value v2)).
    3, 4: exists (Split (fun x : nat -> natural_numbers => x i <=? K + t) (Value v1) (Value v2)).
    all: split; [apply split_fits; [exists i; eexists; split; [exact Hi | reflexivity] | constructor | constructor] |].
    all: cbn [predict]; rewrite Qf; split; intros x Hx; specialize (Hx i Hi);
      try (rewrite Q; change (le natural_numbers (x i) t) with (x i <=? t)).
    all: repeat match goal with |- context [?u <=? ?v] => destruct (Nat.leb_spec u v) end; auto; lia.
  Qed.

  Lemma stumps_moved (first : nat -> natural_numbers) K n : forall trees,
    Forall2 (fits (threshold_test natural_numbers l)) trees (stumps n) ->
    exists trees', Forall2 (fits (threshold_test natural_numbers l)) trees' (stumps n) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= K) -> total F trees' x = total F trees first) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> first i < x i) ->
        total F trees' (fun i => K + x i) = total F trees x).
  Proof.
    induction n as [|n IH]; intros trees H; inversion H as [| T s trees0 structures HT HF]; subst.
    { exists []. split; [constructor | split; reflexivity]. }
    destruct (stump_moved first K T HT) as (T' & HT' & L & M). destruct (IH _ HF) as (trees' & HF' & L' & M').
    exists (T' :: trees'). split; [now constructor |].
    split; intros x Hx; unfold total in *; cbn [fold_right]; [now rewrite L, L' | now rewrite M, M'].
  Qed.

  Lemma labels_by_sign (f g : (nat -> natural_numbers) -> F) A :
    (forall x, In x A -> positive F (f x) = positive F (g x)) ->
    map (fun x => if positive F (f x) then 1 else 0) A = map (fun x => if positive F (g x) then 1 else 0) A.
  Proof. intros H. apply map_ext_in. intros x Hx. now rewrite H. Qed.

  Lemma block_behind part n (sample : list (nat -> natural_numbers)) first own :
    weighted_sums_shatter F (threshold_test natural_numbers l) part sample ->
    weighted_sums_shatter F (threshold_test natural_numbers l) (stumps n) (first :: own) ->
    (forall x i, In x own -> i < l -> first i < x i) ->
    exists sample', length sample' = length sample + length own /\
      weighted_sums_shatter F (threshold_test natural_numbers l) (part ++ stumps n) sample'.
  Proof.
    intros HS HB First. destruct (bounded_sample l l_features sample) as (K & HK).
    exists (sample ++ map (fun (x : nat -> natural_numbers) i => K + x i) own).
    split; [now rewrite app_length, map_length |]. intros y Hy Fy. rewrite app_length, map_length in Hy.
    rewrite <- (firstn_skipn (length sample) y) in Fy |- *. apply Forall_app in Fy as [F1 F2].
    destruct (HS (firstn (length sample) y)) as (trees0 & threshold0 & HF0 & E0); [rewrite firstn_length; lia | auto |].
    destruct (sum_below l l_features F K trees0 part HF0) as (trees1 & a & HF1 & Below & Above).
    pose (far := (fun _ => S K) : nat -> natural_numbers).
    assert (Hfar : total F trees1 far = a) by (apply Above; intros i _; exact (Nat.lt_succ_diag_r K)).
    destruct (threshold_not_attained _ F _ not_trivial trees1 part threshold0 (far :: sample) HF1)
      as (trees & threshold & HF & Twice & Side).
    set (A := subtract F (multiply F (two F) a) threshold).
    assert (NA : A <> zero_number F).
    { destruct (Side far (or_introl eq_refl)) as [N _]. now rewrite Twice, Hfar in N. }
    pose (c := if positive F A then 1 else 0).
    assert (Hc : c < 2) by (unfold c; destruct (positive F A); lia).
    destruct (HB (c :: skipn (length sample) y)) as (blocks0 & level0 & GF0 & G0).
    { cbn [length]. rewrite skipn_length. f_equal. lia. }
    { now constructor. }
    destruct (threshold_not_attained _ F _ not_trivial blocks0 (stumps n) level0 (first :: own) GF0)
      as (blocks1 & level & GF1 & _ & Side').
    destruct (stumps_moved first K n blocks1 GF1) as (blocks & GF & Lo & Mid).
    set (B := subtract F (total F blocks1 first) level).
    cbn [map] in G0. injection G0 as Gc Gy.
    assert (NB : B <> zero_number F) by apply (Side' first (or_introl eq_refl)).
    assert (SB : positive F A = positive F B).
    { unfold B. rewrite (proj2 (Side' first (or_introl eq_refl))). unfold c in Gc.
      match type of Gc with (if ?label then _ else _) = _ => change (positive F A = label); destruct label end;
        destruct (positive F A); auto; discriminate. }
    destruct (scaled_sum _ F _ (size F B) trees part HF) as (trees' & HF' & E').
    destruct (scaled_sum _ F _ (size F A) blocks (stumps n) GF) as (blocks' & GF' & G').
    exists (trees' ++ blocks'),
      (add F (multiply F (size F B) threshold) (multiply F (size F A) (total F blocks1 first))).
    split; [now apply Forall2_app |]. rewrite map_app. f_equal.
    - rewrite <- E0. apply labels_by_sign. intros x Hx. rewrite total_app, E', G', Lo by (intros i Hi; now apply HK).
      rewrite <- (Below x) by (intros i Hi; now apply HK). rewrite <- (proj2 (Side x (or_intror Hx))).
      rewrite <- (positive_multiple F (size F B) (subtract F (total F trees x) threshold)) by now apply size_positive.
      f_equal. ring.
    - rewrite map_map. etransitivity; [| exact Gy]. apply map_ext_in. intros x Hx.
      rewrite total_app, E', G', Mid, Twice, Above by (intros i Hi; specialize (First x i Hx Hi);
        try change (K < K + x i); lia || exact First).
      assert (S := proj2 (Side' x (or_intror Hx))).
      match goal with |- _ = (if ?label then _ else _) => change label with
        (positive F (subtract F (total F blocks0 x) level0)) end.
      rewrite <- S.
      rewrite <- (positive_multiple F (size F A) (subtract F (total F blocks1 x) level)) by now apply size_positive.
      replace (subtract F
        (add F (multiply F (size F B) (multiply F (two F) a)) (multiply F (size F A) (total F blocks1 x)))
        (add F (multiply F (size F B) threshold) (multiply F (size F A) (total F blocks1 first))))
        with (multiply F (size F A) (subtract F (total F blocks1 x) level)); [reflexivity |].
      assert (X : multiply F (size F B) (subtract F (multiply F (two F) a) threshold) =
        multiply F (size F A) (subtract F (total F blocks1 first) level)) by exact (sizes_exchanged F A B SB).
      transitivity (add F (subtract F (multiply F (size F B) (multiply F (two F) a)) (multiply F (size F B) threshold))
        (multiply F (size F A) (subtract F (total F blocks1 x) (total F blocks1 first)))); [| ring].
      transitivity (add F (multiply F (size F B) (subtract F (multiply F (two F) a) threshold))
        (multiply F (size F A) (subtract F (total F blocks1 x) (total F blocks1 first)))); [| ring].
      rewrite X. ring.
  Qed.
End Block.

(* The values of a sample, as natural numbers in the same order. *)
Lemma shattered_as_ranks (F : ordered_ring) (R : linear_order) l structures (sample : list (nat -> R)) :
  weighted_sums_shatter F (threshold_test R l) structures sample ->
  weighted_sums_shatter F (threshold_test natural_numbers l) structures (map (ranked R sample) sample).
Proof.
  intros H. apply (sums_carry_over F (threshold_test R l)); [| exact H]. intros q (i & t & Hi & Hq).
  set (t' := length (filter (fun z => le R (z i) t) sample)).
  exists (fun x : nat -> natural_numbers => x i <=? t'). split; [now exists i, t' |]. intros x Hx.
  rewrite Hq. now apply rank_at_most.
Qed.

Lemma ranks_in_order (R : linear_order) (sample : list (nat -> R)) x z i : In x sample -> In z sample ->
  le R (x i) (z i) = false -> ranked R sample z i < ranked R sample x i.
Proof.
  intros Hx Hz H. set (C := length (filter (fun u => le R (u i) (z i)) sample)).
  assert (Z := rank_at_most R sample i (z i) z Hz). assert (X := rank_at_most R sample i (z i) x Hx).
  fold C in Z, X. rewrite H in X. replace (le R (z i) (z i)) with true in Z
    by (destruct (le_total R (z i) (z i)); auto).
  apply Nat.leb_le in Z. apply Nat.leb_gt in X. lia.
Qed.

Theorem block_rule :
  forall (F : ordered_ring) (R : linear_order) (e : nat -> R), zero_number F <> one_number F ->
  (forall u v : nat, le R (e u) (e v) = (u <=? v)) ->
  forall (l n : nat) (part : list structure) (sample : list (nat -> R)) (first : nat -> R) (own : list (nat -> R)),
  1 <= l ->
  weighted_sums_shatter F (threshold_test R l) part sample ->
  weighted_sums_shatter F (threshold_test R l) (repeat (node leaf leaf) n) (first :: own) ->
  (forall x i, In x own -> i < l -> le R (x i) (first i) = false) ->
  exists sample', length sample' = length sample + length own /\
    weighted_sums_shatter F (threshold_test R l) (part ++ repeat (node leaf leaf) n) sample'.
Proof.
  intros F R e H01 He l n part sample first own Hl HS HB First.
  apply shattered_as_ranks in HS, HB. cbn [map] in HB.
  destruct (block_behind l Hl F H01 part n _ _ _ HS HB) as (sample' & L & H').
  { intros z i Hz Hi. apply in_map_iff in Hz as (x & <- & Hx).
    apply (ranks_in_order R (first :: own) x first i); [now right | now left | now apply First]. }
  rewrite !map_length in L. exists (map (fun x i => e (x i)) sample').
  split; [now rewrite map_length |]. apply (sums_carry_over F (threshold_test natural_numbers l)); [| exact H'].
  intros q (i & t & Hi & Hq). exists (fun x => le R (x i) (e t)). split; [now exists i, (e t) |]. intros x _.
  rewrite Hq. apply He.
Qed.

(* ---- Ten examples -------------------------------------------------------------------------------------------- *)

(* Example i has the value i of feature 0, and that of the list of feature 1; example 0 comes first along both. *)
Definition ten_examples (i feature : nat) : nat :=
  if feature =? 0 then i else nth i [0; 6; 2; 9; 4; 7; 3; 5; 8; 1] 0.

(* A stump as a number: its feature, its threshold, and its values below and above, as for eight examples. *)
Definition feature_of_cut (c : nat) : nat := c / 64.
Definition threshold_of_cut (c : nat) : nat := (c / 4) mod 16.

Definition cut_value (c i : nat) : nat :=
  if ten_examples i (feature_of_cut c) <=? threshold_of_cut c then below_of c else above_of c.

Definition sum_of_cuts (cuts : nat * nat * nat * nat) (i : nat) : nat :=
  let '(c1, c2, c3, c4) := cuts in cut_value c1 i + (cut_value c2 i + (cut_value c3 i + cut_value c4 i)).

Definition labels_of_cuts (cuts : nat * nat * nat * nat) (threshold : nat) : list nat :=
  map (fun i => if threshold <? sum_of_cuts cuts i then 1 else 0) (seq 0 10).

(* Four stumps each, which with different thresholds give all labelings. *)
Definition table_of_four : list (nat * nat * nat * nat) := [
  (0, 10, 16, 22); (0, 10, 16, 91); (0, 10, 76, 90); (0, 10, 80, 90); (0, 14, 33, 84); (0, 23, 25, 99); (0, 23,
  29, 98); (0, 75, 81, 94); (1, 1, 31, 94); (1, 7, 12, 82); (1, 7, 16, 78); (1, 10, 18, 33); (1, 11, 29, 96);
  (1, 12, 20, 91); (1, 14, 68, 91); (1, 14, 78, 93); (1, 15, 16, 94); (1, 15, 17, 30); (1, 15, 24, 90); (1, 15,
  25, 68); (1, 15, 81, 86); (1, 17, 27, 79); (1, 18, 28, 99); (1, 18, 82, 91); (1, 22, 29, 86); (1, 22, 32, 95);
  (1, 23, 24, 86); (1, 24, 90, 97); (1, 26, 79, 80); (1, 27, 72, 84); (1, 76, 87, 90); (1, 78, 83, 93); (1, 79,
  80, 94); (1, 79, 92, 96); (2, 6, 13, 23); (2, 8, 18, 20); (2, 9, 95, 97); (2, 13, 71, 77); (2, 16, 27, 96);
  (2, 16, 67, 89); (2, 16, 82, 84); (2, 19, 25, 73); (2, 22, 82, 93); (2, 24, 94, 97); (2, 34, 73, 91); (2, 69,
  79, 93); (2, 69, 87, 97); (2, 73, 83, 96); (2, 73, 87, 97); (2, 73, 91, 97); (3, 4, 27, 95); (3, 4, 31, 76);
  (3, 4, 82, 81); (3, 8, 17, 95); (3, 8, 30, 80); (3, 8, 70, 77); (3, 10, 80, 87); (3, 12, 35, 86); (3, 12, 73,
  77); (3, 13, 19, 24); (3, 13, 27, 92); (3, 15, 24, 81); (3, 20, 26, 97); (3, 20, 73, 86); (3, 21, 34, 93); (3,
  23, 72, 88); (3, 25, 30, 97); (3, 30, 73, 86); (3, 76, 86, 97); (4, 5, 23, 71); (4, 5, 26, 95); (4, 10, 24,
  34); (4, 11, 17, 68); (4, 11, 21, 91); (4, 11, 85, 99); (4, 13, 23, 75); (4, 14, 88, 99); (4, 15, 17, 31); (4,
  15, 75, 93); (4, 17, 26, 73); (4, 18, 25, 70); (4, 18, 88, 99); (4, 19, 29, 68); (4, 19, 65, 78); (4, 20, 35,
  86); (4, 22, 80, 87); (4, 23, 75, 89); (4, 27, 83, 93); (4, 30, 71, 76); (4, 30, 71, 80); (4, 31, 67, 77); (4,
  31, 67, 81); (4, 35, 75, 80); (4, 67, 76, 99); (4, 69, 91, 93); (4, 74, 84, 94); (4, 74, 84, 99); (4, 75, 76,
  99); (4, 75, 77, 87); (4, 79, 85, 99); (4, 83, 85, 99); (5, 10, 76, 94); (5, 10, 76, 98); (5, 10, 78, 81); (5,
  10, 80, 99); (5, 11, 16, 27); (5, 11, 24, 29); (5, 11, 84, 93); (5, 14, 19, 83); (5, 14, 80, 95); (5, 15, 17,
  68); (5, 15, 20, 90); (5, 15, 21, 30); (5, 15, 24, 94); (5, 15, 25, 31); (5, 15, 25, 35); (5, 15, 25, 94); (5,
  16, 79, 89); (5, 16, 86, 97); (5, 17, 29, 86); (5, 17, 78, 95); (5, 18, 22, 29); (5, 18, 30, 80); (5, 18, 32,
  77); (5, 19, 24, 33); (5, 19, 24, 69); (5, 19, 24, 86); (5, 19, 28, 71); (5, 19, 76, 87); (5, 21, 79, 96); (5,
  22, 24, 95); (5, 22, 27, 65); (5, 22, 29, 83); (5, 22, 29, 99); (5, 22, 67, 80); (5, 22, 69, 99); (5, 22, 75,
  80); (5, 22, 80, 88); (5, 22, 82, 85); (5, 23, 24, 86); (5, 26, 79, 84); (5, 27, 33, 98); (5, 30, 75, 80); (5,
  30, 79, 80); (5, 31, 66, 99); (5, 31, 72, 87); (5, 31, 75, 80); (5, 34, 35, 82); (5, 75, 77, 98); (5, 75, 80,
  81); (5, 75, 80, 94); (5, 75, 84, 93); (5, 75, 86, 97); (5, 83, 88, 96); (6, 7, 12, 83); (6, 7, 21, 92); (6,
  8, 19, 71); (6, 9, 19, 25); (6, 9, 23, 71); (6, 9, 27, 33); (6, 9, 79, 89); (6, 9, 91, 97); (6, 11, 25, 69);
  (6, 12, 22, 70); (6, 14, 25, 91); (6, 16, 86, 97); (6, 17, 27, 28); (6, 17, 27, 71); (6, 17, 27, 89); (6, 20,
  26, 97); (6, 21, 73, 91); (6, 23, 26, 85); (6, 24, 25, 75); (6, 24, 35, 86); (6, 25, 31, 96); (6, 25, 76, 99);
  (6, 27, 73, 89); (6, 28, 69, 78); (6, 28, 69, 82); (6, 28, 73, 78); (6, 28, 73, 82); (6, 29, 73, 82); (6, 33,
  77, 91); (6, 69, 79, 92); (6, 71, 77, 83); (6, 71, 89, 99); (6, 72, 82, 92); (6, 77, 91, 97); (7, 8, 16, 95);
  (7, 8, 82, 92); (7, 8, 82, 97); (7, 8, 86, 92); (7, 10, 81, 99); (7, 11, 28, 79); (7, 12, 23, 29); (7, 12, 26,
  32); (7, 12, 29, 82); (7, 12, 78, 97); (7, 12, 83, 85); (7, 13, 19, 28); (7, 13, 22, 84); (7, 13, 26, 84); (7,
  14, 85, 93); (7, 16, 28, 85); (7, 16, 29, 78); (7, 16, 34, 88); (7, 17, 26, 35); (7, 17, 26, 84); (7, 17, 31,
  64); (7, 17, 72, 99); (7, 19, 31, 86); (7, 20, 24, 35); (7, 20, 30, 96); (7, 20, 72, 91); (7, 20, 72, 92); (7,
  20, 73, 82); (7, 20, 77, 86); (7, 20, 78, 93); (7, 20, 94, 97); (7, 21, 66, 94); (7, 21, 69, 96); (7, 22, 21,
  78); (7, 24, 76, 90); (7, 24, 86, 97); (7, 25, 81, 90); (7, 26, 29, 72); (7, 27, 73, 78); (7, 28, 73, 78); (7,
  28, 73, 82); (7, 28, 77, 82); (7, 29, 29, 82); (7, 30, 73, 99); (7, 32, 33, 76); (7, 64, 73, 83); (7, 71, 92,
  97); (7, 73, 79, 93); (7, 73, 83, 97); (7, 73, 91, 93); (7, 76, 77, 91); (7, 80, 81, 95); (8, 15, 80, 87); (8,
  18, 66, 89); (8, 18, 66, 92); (8, 19, 21, 73); (8, 22, 71, 88); (8, 23, 31, 77); (8, 27, 82, 96); (8, 30, 75,
  76); (8, 31, 78, 88); (8, 33, 76, 91); (8, 33, 76, 95); (8, 35, 83, 89); (8, 66, 79, 97); (8, 71, 76, 94); (8,
  71, 83, 97); (8, 75, 76, 95); (9, 14, 76, 91); (9, 16, 71, 89); (9, 19, 28, 67); (9, 19, 29, 68); (9, 19, 33,
  70); (9, 22, 35, 67); (9, 22, 76, 91); (9, 23, 28, 32); (9, 26, 67, 83); (9, 26, 70, 95); (9, 27, 28, 66); (9,
  27, 66, 78); (9, 27, 71, 94); (9, 30, 33, 76); (9, 30, 33, 80); (9, 67, 90, 97); (9, 70, 75, 77); (9, 70, 79,
  93); (9, 76, 94, 95); (9, 78, 90, 97); (9, 83, 92, 97); (10, 13, 23, 71); (10, 16, 26, 69); (10, 17, 27, 79);
  (10, 17, 35, 78); (10, 17, 69, 95); (10, 19, 65, 93); (10, 20, 69, 86); (10, 21, 79, 93); (10, 24, 68, 87);
  (10, 25, 71, 87); (10, 28, 33, 85); (10, 28, 35, 82); (10, 29, 69, 78); (10, 29, 69, 82); (10, 29, 77, 91);
  (10, 33, 77, 83); (10, 65, 78, 99); (10, 66, 77, 99); (10, 71, 81, 99); (10, 73, 78, 92); (11, 12, 64, 76);
  (11, 12, 69, 78); (11, 13, 29, 84); (11, 15, 27, 82); (11, 16, 88, 95); (11, 17, 30, 35); (11, 17, 64, 68);
  (11, 21, 30, 68); (11, 21, 65, 92); (11, 21, 69, 92); (11, 21, 75, 84); (11, 24, 80, 95); (11, 25, 65, 94);
  (11, 28, 69, 78); (11, 28, 84, 99); (11, 32, 77, 87); (11, 35, 79, 88); (11, 64, 77, 95); (11, 64, 81, 95);
  (11, 65, 80, 98); (11, 65, 93, 98); (12, 19, 25, 68); (12, 22, 29, 70); (12, 22, 29, 75); (12, 23, 77, 89);
  (12, 23, 80, 87); (12, 35, 75, 76); (12, 35, 83, 93); (12, 67, 76, 94); (12, 67, 81, 86); (12, 72, 91, 93);
  (12, 78, 85, 99); (12, 82, 85, 94); (13, 18, 67, 88); (13, 18, 67, 92); (13, 18, 73, 99); (13, 19, 29, 71);
  (13, 19, 29, 74); (13, 22, 23, 74); (13, 23, 28, 33); (13, 23, 28, 84); (13, 25, 76, 87); (13, 25, 80, 93);
  (13, 26, 67, 88); (13, 26, 73, 95); (13, 27, 28, 67); (13, 27, 28, 83); (13, 27, 28, 88); (13, 27, 29, 84);
  (13, 30, 34, 67); (13, 31, 66, 97); (13, 67, 91, 92); (13, 70, 83, 93); (13, 76, 83, 93); (14, 16, 35, 87);
  (14, 17, 27, 70); (14, 17, 31, 86); (14, 20, 32, 84); (14, 21, 35, 67); (14, 25, 35, 66); (14, 25, 77, 93);
  (14, 28, 69, 78); (14, 28, 69, 82); (14, 29, 73, 82); (14, 32, 65, 78); (14, 33, 73, 78); (14, 71, 81, 95);
  (14, 71, 85, 95); (15, 16, 69, 86); (15, 17, 31, 80); (15, 20, 65, 90); (15, 21, 30, 94); (15, 21, 31, 72);
  (15, 25, 71, 76); (15, 31, 68, 81); (15, 31, 68, 85); (15, 32, 81, 91); (15, 33, 65, 74); (15, 68, 69, 79);
  (15, 71, 79, 84); (15, 78, 93, 93); (16, 22, 69, 74); (16, 27, 33, 84); (16, 27, 71, 80); (16, 27, 85, 95);
  (16, 30, 67, 97); (16, 30, 71, 80); (16, 31, 70, 80); (16, 31, 71, 80); (16, 31, 75, 80); (16, 35, 75, 80);
  (16, 64, 75, 80); (16, 69, 78, 85); (16, 71, 89, 95); (16, 72, 79, 85); (16, 79, 87, 95); (16, 80, 91, 97);
  (16, 85, 91, 94); (17, 23, 25, 70); (17, 23, 67, 74); (17, 26, 67, 84); (17, 26, 79, 88); (17, 26, 82, 97);
  (17, 27, 70, 96); (17, 30, 67, 79); (17, 31, 34, 92); (17, 31, 69, 75); (17, 31, 70, 97); (17, 31, 78, 97);
  (17, 35, 67, 88); (17, 35, 67, 94); (17, 68, 81, 84); (17, 69, 79, 84); (17, 74, 81, 95); (17, 95, 97, 97);
  (18, 21, 27, 84); (18, 21, 82, 85); (18, 24, 64, 95); (18, 24, 86, 97); (18, 25, 35, 78); (18, 25, 71, 86);
  (18, 26, 69, 86); (18, 28, 71, 73); (18, 29, 69, 82); (18, 29, 77, 90); (18, 33, 73, 82); (18, 33, 76, 99);
  (18, 33, 77, 90); (18, 35, 79, 92); (18, 69, 74, 89); (18, 69, 80, 89); (18, 69, 92, 99); (18, 71, 77, 93);
  (18, 71, 81, 94); (18, 76, 87, 96); (18, 82, 89, 99); (19, 20, 80, 99); (19, 20, 83, 91); (19, 21, 26, 72);
  (19, 24, 29, 72); (19, 24, 65, 86); (19, 24, 67, 76); (19, 24, 71, 96); (19, 25, 30, 69); (19, 25, 68, 99);
  (19, 25, 77, 98); (19, 29, 34, 99); (19, 32, 33, 77); (19, 65, 69, 90); (19, 70, 77, 91); (19, 71, 78, 93);
  (19, 73, 90, 93); (20, 26, 84, 98); (20, 27, 30, 84); (20, 27, 70, 80); (20, 31, 33, 80); (20, 31, 35, 84);
  (20, 31, 74, 97); (20, 31, 78, 88); (20, 32, 65, 83); (20, 35, 78, 93); (20, 67, 77, 82); (20, 69, 78, 97);
  (20, 69, 83, 93); (20, 78, 85, 90); (20, 78, 85, 95); (20, 81, 91, 97); (21, 26, 67, 92); (21, 26, 67, 93);
  (21, 27, 92, 97); (21, 28, 67, 78); (21, 30, 67, 95); (21, 31, 67, 96); (21, 31, 74, 97); (21, 67, 68, 97);
  (21, 69, 69, 78); (21, 72, 86, 93); (21, 85, 90, 91); (22, 25, 35, 86); (22, 25, 64, 82); (22, 25, 64, 90);
  (22, 25, 69, 86); (22, 28, 76, 99); (22, 29, 35, 86); (22, 29, 69, 99); (22, 29, 71, 77); (22, 29, 72, 90);
  (22, 29, 72, 98); (22, 29, 76, 95); (22, 29, 83, 98); (22, 33, 65, 72); (22, 33, 65, 88); (22, 33, 66, 84);
  (22, 66, 80, 87); (22, 70, 72, 89); (22, 76, 87, 93); (22, 80, 87, 88); (23, 29, 34, 99); (23, 32, 64, 64);
  (23, 33, 65, 91); (23, 65, 76, 95); (23, 70, 80, 95); (23, 87, 89, 92); (24, 31, 74, 88); (24, 31, 75, 88);
  (24, 35, 74, 92); (24, 35, 75, 84); (24, 35, 78, 89); (24, 35, 78, 98); (24, 67, 74, 93); (24, 71, 88, 89);
  (24, 74, 88, 95); (24, 74, 90, 97); (24, 75, 89, 97); (24, 75, 89, 99); (25, 34, 67, 93); (25, 80, 91, 97);
  (25, 82, 96, 97); (26, 28, 68, 99); (26, 29, 68, 99); (26, 33, 33, 81); (26, 33, 65, 98); (26, 33, 72, 94);
  (26, 33, 72, 97); (26, 35, 86, 99); (26, 65, 75, 80); (26, 65, 78, 97); (26, 71, 73, 94); (26, 71, 77, 86);
  (26, 73, 90, 93); (26, 75, 89, 94); (26, 79, 89, 94); (27, 28, 68, 99); (27, 68, 79, 99); (27, 68, 90, 91);
  (27, 73, 80, 95); (27, 79, 85, 94); (28, 34, 69, 82); (28, 67, 73, 82); (28, 76, 87, 97); (29, 68, 69, 79);
  (29, 77, 94, 95); (30, 32, 33, 77); (30, 65, 75, 80); (30, 69, 79, 85); (30, 80, 87, 93); (31, 68, 79, 89);
  (32, 74, 85, 95); (32, 80, 90, 96); (32, 81, 95, 97); (33, 80, 81, 99); (33, 81, 90, 94); (34, 78, 84, 98);
  (34, 86, 92, 98); (35, 75, 89, 98); (35, 79, 89, 98); (35, 79, 93, 99); (35, 82, 88, 99); (35, 83, 93, 99);
  (64, 74, 84, 94); (64, 74, 85, 99); (64, 75, 77, 95); (64, 78, 84, 99); (65, 75, 81, 99); (65, 76, 87, 97);
  (65, 79, 85, 94); (66, 73, 83, 92); (66, 77, 87, 93); (67, 72, 78, 89); (67, 73, 87, 93); (67, 77, 86, 94);
  (67, 79, 88, 93); (69, 77, 94, 99); (69, 78, 85, 99); (69, 79, 89, 98); (69, 83, 89, 98); (70, 73, 79, 85);
  (70, 73, 83, 93); (70, 76, 86, 97); (70, 76, 90, 96); (71, 77, 86, 95); (71, 77, 87, 92); (73, 83, 85, 98);
  (73, 91, 93, 99)
].

Definition labelings_of_four : list (list nat) :=
  flat_map (fun cuts => map (labels_of_cuts cuts) (seq 0 9)) table_of_four.

Fixpoint equal_lists (y z : list nat) : bool :=
  match y, z with
  | [], [] => true
  | c :: y', c' :: z' => if c =? c' then equal_lists y' z' else false
  | _, _ => false
  end.

Lemma equal_lists_spec y : forall z, equal_lists y z = true -> y = z.
Proof.
  induction y as [|c y IH]; intros [|c' z]; cbn [equal_lists]; try discriminate; auto.
  destruct (Nat.eqb_spec c c') as [-> | N]; [| discriminate]. intros H. now rewrite (IH z H).
Qed.

Lemma table_of_four_is_complete :
  forallb (fun y => existsb (equal_lists y) labelings_of_four) (all_labelings 2 10) = true.
Proof. vm_compute. reflexivity. Qed.

Lemma features_of_four : forallb (fun cuts : nat * nat * nat * nat => let '(c1, c2, c3, c4) := cuts in
  forallb (fun c => feature_of_cut c <? 2) [c1; c2; c3; c4]) table_of_four = true.
Proof. vm_compute. reflexivity. Qed.

Section Ten.
  Variable F : ordered_ring.
  Variable R : linear_order.
  Variable e : nat -> R.
  Hypothesis not_trivial : zero_number F <> one_number F.
  Hypothesis increasing : forall u v : nat, le R (e u) (e v) = (u <=? v).

  Definition tenth (i feature : nat) : R := e (ten_examples i feature).

  Definition stump_of_cut (c : nat) : regression_tree (nat -> R) F :=
    Split (fun x => le R (x (feature_of_cut c)) (e (threshold_of_cut c))) (Value (small F (below_of c)))
      (Value (small F (above_of c))).

  Lemma stump_of_cut_fits c : (feature_of_cut c <? 2) = true ->
    fits (threshold_test R 2) (stump_of_cut c) (node leaf leaf).
  Proof.
    intros H. apply Nat.ltb_lt in H. apply split_fits; [| constructor | constructor].
    exists (feature_of_cut c), (e (threshold_of_cut c)). auto.
  Qed.

  Lemma stump_of_cut_value c i : predict (stump_of_cut c) (tenth i) = small F (cut_value c i).
  Proof.
    unfold stump_of_cut, cut_value, tenth. cbn [predict]. rewrite increasing.
    now destruct (ten_examples i (feature_of_cut c) <=? threshold_of_cut c).
  Qed.

  Lemma four_stumps_shatter_ten :
    weighted_sums_shatter F (threshold_test R 2) (repeat (node leaf leaf) 4) (map tenth (seq 0 10)).
  Proof.
    intros y Ly Fy. rewrite map_length, seq_length in Ly.
    assert (I : In y labelings_of_four).
    { pose proof table_of_four_is_complete as H. rewrite forallb_forall in H.
      assert (Hy : In y (all_labelings 2 10)) by now apply all_labelings_spec.
      specialize (H y Hy). apply existsb_exists in H as (z & Hz & E). now rewrite (equal_lists_spec y z E). }
    apply in_flat_map in I as ([[[c1 c2] c3] c4] & I & Hy). apply in_map_iff in Hy as (threshold & <- & _).
    pose proof features_of_four as H. rewrite forallb_forall in H. specialize (H _ I). cbn beta iota in H.
    rewrite forallb_forall in H.
    exists [stump_of_cut c1; stump_of_cut c2; stump_of_cut c3; stump_of_cut c4], (small F threshold). split.
    { cbn [repeat]. repeat (apply Forall2_cons; [apply stump_of_cut_fits, H; cbn [In]; tauto |]). apply Forall2_nil. }
    unfold labels_of_cuts. rewrite map_map. apply map_ext. intros i. unfold total, sum_of_cuts. cbn [fold_right].
    rewrite !stump_of_cut_value. rewrite <- (small_above F not_trivial), !small_add.
    assert (Z : forall u, add F u (zero_number F) = u) by exact (add_zero_right F). now rewrite Z.
  Qed.

  Lemma first_of_ten x i : In x (map tenth (seq 1 9)) -> i < 2 -> le R (x i) (tenth 0 i) = false.
  Proof.
    intros Hx Hi. apply in_map_iff in Hx as (j & <- & Hj). apply in_seq in Hj. unfold tenth. rewrite increasing.
    apply Nat.leb_gt. destruct i as [|[|]]; [| | lia].
    - change (0 < j). lia.
    - do 10 (destruct j as [|j]; [cbn; lia |]). lia.
  Qed.

  Lemma blocks_of_four k : exists sample, length sample = 8 + 9 * k /\
    weighted_sums_shatter F (threshold_test R 2) (repeat (node leaf leaf) (3 + 4 * k)) sample.
  Proof.
    induction k as [|k (sample & L & H)].
    - exists (map (example_in_order R e) (seq 0 8)). split; [now rewrite map_length, seq_length |].
      now apply three_stumps_shatter_eight.
    - destruct (block_rule F R e not_trivial increasing 2 4 _ sample (tenth 0) (map tenth (seq 1 9)) (le_S _ _ (le_n 1))
        H four_stumps_shatter_ten first_of_ten) as (sample' & L' & H').
      exists sample'. rewrite map_length, seq_length in L'. split; [lia |].
      replace (3 + 4 * S k) with (3 + 4 * k + 4) by lia. now rewrite repeat_app.
  Qed.
End Ten.

Theorem stumps_on_two_features_in_blocks :
  forall (F : ordered_ring) (R : linear_order) (e : nat -> R), zero_number F <> one_number F ->
  (forall u v : nat, le R (e u) (e v) = (u <=? v)) -> forall B : nat, 3 <= B ->
  exists sample, length sample = 2 * B + 2 + (B - 3) / 4 /\
    weighted_sums_shatter F (threshold_test R 2) (repeat (node leaf leaf) B) sample.
Proof.
  intros F R e H01 He B HB. set (k := (B - 3) / 4).
  destruct (blocks_of_four F R e H01 He k) as (sample & L & H).
  assert (D := Nat.div_mod (B - 3) 4 ltac:(lia)). fold k in D. set (rest := (B - 3) mod 4) in *.
  destruct (part_rule F R e H01 He 2 2 _ (repeat (node leaf leaf) rest) sample (le_n 2) H) as (sample' & L' & H').
  exists sample'. rewrite <- repeat_app in H'. replace B with (3 + 4 * k + rest) at 2 by lia. split; auto.
  assert (N : forall n, all_nodes (repeat (node leaf leaf) n) = n).
  { induction n as [|n IH]; auto. unfold all_nodes in *. cbn [repeat map list_sum fold_right internal_nodes].
    change (fold_right Nat.add 0 (map internal_nodes (repeat (node leaf leaf) n))) with
      (list_sum (map internal_nodes (repeat (node leaf leaf) n))). lia. }
  rewrite L', N. lia.
Qed.
