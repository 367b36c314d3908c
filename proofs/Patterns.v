(* Patterns: the number of patterns of 0 and 1 that trees give to examples, for any bound of the patterns at a leaf.

   In words: let a leaf with m examples give them at most c(m) patterns, and a single example either value. Then a
   structure gives m examples at most R(m) patterns, where R = c at a leaf, and R(m) = 2 + 2 l sum_{k=1}^{m-1} R_a(k)
   R_b(m - k) at a node with subtrees a and b. A side without examples does not count, since it can be given one. *)

From Coq Require Import List Arith Lia Permutation.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound.
Import ListNotations.

Section Patterns.
  Variable l : nat.
  Variable rank : nat -> nat -> nat.
  Variable points : list nat.
  Variable at_leaf : list nat -> (nat -> nat) -> Prop.
  Variable leaf_count : nat -> nat.
  Hypothesis at_leaf_incl : forall A B f, incl A B -> at_leaf B f -> at_leaf A f.
  Hypothesis at_leaf_bounded : forall A f x, at_leaf A f -> In x A -> f x < 2.
  Hypothesis at_leaf_short : forall A f, incl A points -> length A <= 1 -> (forall x, In x A -> f x < 2) ->
    at_leaf A f.
  Hypothesis at_leaf_few : forall A, NoDup A -> incl A points -> A <> [] ->
    few A (leaf_count (length A - 1)) (at_leaf A).

  Fixpoint pattern (s : structure) (A : list nat) (f : nat -> nat) : Prop :=
    match s with
    | leaf => at_leaf A f
    | node a b => exists q, ordered_cut l rank points q /\
        ((pattern a (part q A) f /\ pattern b (rest q A) f) \/ (pattern b (part q A) f /\
          pattern a (rest q A) f))
    end.

  Lemma pattern_incl s A B f : incl A B -> pattern s B f -> pattern s A f.
  Proof.
    revert A B. induction s as [|a IHa b IHb]; intros A B H; cbn [pattern]; [now apply at_leaf_incl |].
    intros (q & Hq & HB). exists q. split; auto.
    destruct HB as [[? ?] | [? ?]]; [left | right]; split; eauto using part_incl, rest_incl.
  Qed.

  Lemma pattern_bounded s A f x : pattern s A f -> In x A -> f x < 2.
  Proof.
    revert A. induction s as [|a IHa b IHb]; intros A; cbn [pattern]; [now apply at_leaf_bounded |].
    intros (q & _ & HB) Hx. destruct (part_or_rest q A x Hx), HB as [[? ?] | [? ?]]; eauto.
  Qed.

  Lemma pattern_short s B f : 1 <= l -> incl B points -> length B <= 1 -> (forall x, In x B -> f x < 2) ->
    pattern s B f.
  Proof.
    intros Hl HP HB Hf. induction s as [|a IHa b IHb]; cbn [pattern]; auto.
    exists (fun y => rank 0 y <? 0). split; [exists 0, 0; auto |].
    left. split; (eapply pattern_incl; [| eassumption]); intros x Hx; apply filter_In in Hx; tauto.
  Qed.

  (* A cut leaves no side empty, or there is one example only. *)
  Lemma proper_sides a b i k A f : i < l -> k <= length A -> 2 <= length A -> incl A points ->
    (forall x, In x A -> f x < 2) ->
    pattern a (firstn k (order rank i A)) f -> pattern b (skipn k (order rank i A)) f ->
    exists x, x < length A - 1 /\
      pattern a (firstn (S x) (order rank i A)) f /\ pattern b (skipn (S x) (order rank i A)) f.
  Proof.
    intros Hi Hk HA HP Hf H1 H2. pose proof (order_length rank i A) as HL.
    assert (IF : forall k, incl (firstn k (order rank i A)) A) by (intros; apply firstn_order_incl).
    assert (IS : forall k, incl (skipn k (order rank i A)) A) by (intros; apply skipn_order_incl).
    destruct (Nat.eq_dec k 0) as [-> | K0]; [| destruct (Nat.eq_dec k (length A)) as [-> | K1]].
    - exists 0. split; [lia |]. split.
      + apply pattern_short; [lia | eapply incl_tran; [apply IF | auto] | rewrite firstn_length; lia |].
        intros x Hx. apply Hf, (IF 1), Hx.
      + eapply pattern_incl; [| exact H2]. intros x Hx. apply order_in. exact (IS 1 x Hx).
    - exists (length A - 2). replace (S (length A - 2)) with (length A - 1) by lia. split; [lia |]. split.
      + eapply pattern_incl; [| exact H1]. rewrite <- HL, firstn_all. intros x Hx. apply order_in.
        exact (IF _ x Hx).
      + apply pattern_short; [lia | eapply incl_tran; [apply IS | auto] | rewrite skipn_length; lia |].
        intros x Hx. apply Hf, (IS (length A - 1)), Hx.
    - exists (k - 1). replace (S (k - 1)) with k by lia. repeat split; auto. lia.
  Qed.

  (* K, a function of the number of examples minus one, bounds the number of patterns of "s". *)
  Definition few_patterns (s : structure) (K : nat -> nat) : Prop :=
    forall A, NoDup A -> incl A points -> A <> [] -> few A (K (length A - 1)) (pattern s A).

  Lemma few_sides a b Ka Kb i A : few_patterns a Ka -> few_patterns b Kb -> NoDup A -> incl A points ->
    few A (convolution Ka Kb (length A - 1)) (fun f => exists x, x < length A - 1 /\
      pattern a (firstn (S x) (order rank i A)) f /\ pattern b (skipn (S x) (order rank i A)) f).
  Proof.
    intros Ba Bb ND HA. unfold convolution. apply few_sum. intros x Hx.
    pose proof (order_length rank i A) as HL. pose proof (order_NoDup rank i A ND) as HN.
    rewrite <- (firstn_skipn (S x)) in HN. apply NoDup_app_parts in HN as (N1 & N2 & _).
    apply few_product with (P := firstn (S x) (order rank i A)) (Q := skipn (S x) (order rank i A)).
    - intros. now apply firstn_or_skipn.
    - eapply few_weaken; [apply Ba; auto | | auto].
      + eapply incl_tran; [apply firstn_order_incl | auto].
      + intros E. apply (f_equal (@length nat)) in E. rewrite firstn_length in E. cbn [length] in E. lia.
      + rewrite firstn_length. replace (Nat.min (S x) (length (order rank i A)) - 1) with x by lia. lia.
    - eapply few_weaken; [apply Bb; auto | | auto].
      + eapply incl_tran; [apply skipn_order_incl | auto].
      + intros E. apply (f_equal (@length nat)) in E. rewrite skipn_length in E. cbn [length] in E. lia.
      + rewrite skipn_length. replace (length (order rank i A) - S x - 1) with (length A - 1 - 1 - x) by lia.
        lia.
  Qed.

  Lemma few_of_one A (P : (nat -> nat) -> Prop) : length A = 1 -> (forall f x,
    P f -> In x A -> f x < 2) -> few A 2 P.
  Proof.
    intros HA H. destruct A as [|x [|]]; try discriminate. exists [fun _ => 0; fun _ => 1]. split; auto.
    intros f Hf. specialize (H f x Hf (or_introl eq_refl)). destruct (f x) as [|[|]] eqn:E; [| | lia].
    - exists (fun _ => 0). split; [cbn; auto |]. intros y [<- | []]. exact E.
    - exists (fun _ => 1). split; [cbn; auto |]. intros y [<- | []]. exact E.
  Qed.

  Lemma few_at_node a b Ka Kb : few_patterns a Ka -> few_patterns b Kb ->
    few_patterns (node a b) (fun M => 2 + l * (2 * convolution Ka Kb M)).
  Proof.
    intros Ba Bb A ND HA NE.
    destruct (Nat.eq_dec (length A) 1) as [E1 | E1].
    { eapply few_weaken; [apply (few_of_one A (pattern (node a b) A) E1) | lia | auto].
      intros f x Hf. apply (pattern_bounded _ _ _ _ Hf). }
    assert (2 <= length A) by (destruct A; cbn in *; [easy | lia]).
    eapply few_weaken with (K := sum l (fun _ => 2 * convolution Ka Kb (length A - 1))).
    - apply few_sum. intros i Hi.
      replace (2 * convolution Ka Kb (length A - 1)) with
        (convolution Ka Kb (length A - 1) + convolution Kb Ka (length A - 1))
        by (rewrite (convolution_commutes Kb); lia).
      apply few_or; [apply (few_sides a b Ka Kb i A) | apply (few_sides b a Kb Ka i A)]; auto.
    - rewrite sum_const. lia.
    - intros f Hf. assert (Hb : forall x, In x A -> f x < 2) by (intros x;
      apply (pattern_bounded _ _ _ _ Hf)).
      destruct Hf as (q & Hq & Hf). destruct (cut_order 2 l (le_n 2) rank points q A Hq HA) as (i & k & Hi &
        Hk & H1 & H2).
      exists i. split; auto.
      destruct Hf as [[Hp Hr] | [Hp Hr]]; [left | right];
        apply (proper_sides _ _ i k); eauto using pattern_incl.
  Qed.

  Fixpoint count (s : structure) (M : nat) : nat :=
    match s with
    | leaf => leaf_count M
    | node a b => 2 + l * (2 * convolution (count a) (count b) M)
    end.

  Lemma structures_have_few_patterns s : few_patterns s (count s).
  Proof.
    induction s as [|a Ba b Bb]; [intros A ND HA NE; now apply at_leaf_few |].
    exact (few_at_node a b (count a) (count b) Ba Bb).
  Qed.
End Patterns.

(* A threshold test cuts the order of the examples by one feature. *)
Lemma test_is_cut (R : linear_order) l (sample : list (nat -> R)) default (q : test (nat -> R)) :
  threshold_test R l q ->
  ordered_cut l (fun i x => position R (fun y => nth y sample default i) (length sample) x) (seq 0 (length
    sample))
    (fun x => q (nth x sample default)).
Proof.
  intros (i & t & Hi & Hq). eexists i, _. split; [exact Hi |]. intros x Hx. rewrite Hq.
  exact (threshold_position R (fun y => nth y sample default i) (length sample) t x Hx).
Qed.

(* ---- Counts in closed form ------------------------------------------------------------------------------------ *)

(* Powers of 1 + w (prefix sum), applied to functions of which each is the prefix sum of the one before. *)
Section Powers.
  Variable w : nat.
  Variable f : nat -> nat -> nat.
  Hypothesis prefix : forall p M, sum M (f p) = f (S p) M.

  Definition power (i M : nat) : nat := sum (S i) (fun p => binomial i p * w ^ p * f p M).

  Lemma power_step i M : power (S i) M = power i M + w * sum M (power i).
  Proof.
    assert (E : w * sum M (power i) = sum (S i) (fun p => binomial i p * w ^ S p * f (S p) M)).
    { unfold power. rewrite sum_swap, <- sum_mul. apply sum_ext. intros p _. rewrite sum_mul, prefix.
      cbn [Nat.pow]. lia. }
    assert (F : power i M = f 0 M + sum (S i) (fun p => binomial i (S p) * w ^ S p * f (S p) M)).
    { pose proof (sum_first (S i) (fun p => binomial i p * w ^ p * f p M)) as H. cbv beta in H.
      rewrite binomial_0 in H.
      change (sum (S (S i)) (fun p => binomial i p * w ^ p * f p M))
        with (power i M + binomial i (S i) * w ^ S i * f (S i) M) in H.
      rewrite (binomial_large i (S i)) in H by lia. cbn [Nat.pow] in *. lia. }
    rewrite E, F. unfold power. rewrite (sum_first (S i)), binomial_0. cbn [Nat.pow].
    rewrite <- Nat.add_assoc, <- sum_add. f_equal; [lia |]. apply sum_ext. intros p _. rewrite binomial_S.
      lia.
  Qed.
End Powers.

Lemma all_patterns_few m K (P : (nat -> nat) -> Prop) : few (seq 0 m) K P ->
  (forall y, length y = m -> Forall (fun c => c < 2) y -> P (fun i => nth i y 0)) -> 2 ^ m <= K.
Proof.
  intros (E & HE & H) HP. rewrite <- all_labelings_length. etransitivity; [| exact HE].
  rewrite <- (map_length (fun g => map g (seq 0 m))). apply NoDup_incl_length; [apply all_labelings_NoDup |].
  intros y Hy. apply all_labelings_spec in Hy as [Ly Fy]. destruct (H _ (HP y Ly Fy)) as (g & Hg & A).
  apply in_map_iff. exists g. split; auto. rewrite <- (map_ext_in _ _ _ A), <- Ly. apply map_nth_seq.
Qed.
