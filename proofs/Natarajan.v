(* The Natarajan dimension (chapter "More on the VC dimension of trees"): trees with any number of classes.

   In words: if a structure with N internal nodes on l features with values in any linear order shatters d >= 1
   examples in the sense of Natarajan, then 2^d <= 2 sum_j C(N, j) (4 l)^j C(d - 1, j), whatever the number of
   classes. If it shatters a sample with two classes, it shatters this sample in the sense of Natarajan with any
   number n >= 2 of classes. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Patterns.
Import ListNotations.

(* Every example i has two labels of its own, f0 i and f1 i, such that all choices of one of the two for
   each example are realized. *)
Definition Natarajan_shattered_by {X} (allowed : test X -> Prop) (n : nat) (s : structure) (sample : list X)
  (f0 f1 : nat -> nat) : Prop :=
  (forall i, i < length sample -> f0 i <> f1 i) /\
  forall choice : nat -> bool, realizes allowed n s sample
    (map (fun i => if choice i then f1 i else f0 i) (seq 0 (length sample))).

Definition Natarajan_shattered {X} (allowed : test X -> Prop) (n : nat) (s : structure) (sample : list X) :
  Prop :=
  exists f0 f1 : nat -> nat, Natarajan_shattered_by allowed n s sample f0 f1.

Section Upper.
  Variable R : linear_order.
  Variables l n : nat.
  Variable sample : list (nat -> R).
  Variable default : nat -> R.
  Variables first second : nat -> nat.
  Hypothesis different : forall i, i < length sample -> first i <> second i.

  Let m := length sample.
  Let at_ (i : nat) : nat -> R := nth i sample default.
  Let rank (i x : nat) : nat := position R (fun y => at_ y i) m x.

  Definition one_label (A : list nat) (f : nat -> nat) : Prop :=
    exists c, forall x, In x A -> (f x = 0 /\ first x = c) \/ (f x = 1 /\ second x = c).

  Lemma one_label_incl A B f : incl A B -> one_label B f -> one_label A f.
  Proof. intros H (c & Hc). exists c. auto. Qed.

  Lemma one_label_bounded A f x : one_label A f -> In x A -> f x < 2.
  Proof. intros (c & Hc) Hx. destruct (Hc x Hx); lia. Qed.

  Lemma one_label_short A f : incl A (seq 0 m) -> length A <= 1 -> (forall x,
    In x A -> f x < 2) -> one_label A f.
  Proof.
    intros _ L H. destruct A as [|x [|]]; cbn in L; [exists 0; intros ? [] | | lia].
    specialize (H x (or_introl eq_refl)). exists (if f x =? 0 then first x else second x).
    intros y [<- | []]. destruct (Nat.eqb_spec (f x) 0); lia.
  Qed.

  Lemma one_label_few A : NoDup A -> incl A (seq 0 m) -> A <> [] -> few A 2 (one_label A).
  Proof.
    intros _ HA NE. destruct A as [|x A]; [easy |]. set (g := fun c y => if first y =? c then 0 else 1).
    assert (G : forall f c, (forall y, In y (x :: A) -> (f y = 0 /\ first y = c) \/ (f y = 1 /\
      second y = c)) ->
      agree (x :: A) f (g c)).
    { intros f c H y Hy. specialize (H y Hy). unfold g. apply HA, in_seq in Hy.
      specialize (different y ltac:(lia)).
      destruct (Nat.eqb_spec (first y) c); lia. }
    exists [g (first x); g (second x)]. split; auto. intros f (c & Hc).
    exists (g c). split; [| exact (G f c Hc)].
    destruct (Hc x (or_introl eq_refl)) as [[_ <-] | [_ <-]]; cbn; auto.
  Qed.

  Lemma tree_pattern T s : has_structure (threshold_test R l) n T s -> forall A f, incl A (seq 0 m) ->
    (forall x, In x A -> (f x = 0 /\ evaluate T (at_ x) = first x) \/ (f x = 1 /\
      evaluate T (at_ x) = second x)) ->
    pattern l rank (seq 0 m) one_label s A f.
  Proof.
    induction 1 as [c Hc | q T1 T2 a b Hq _ IH1 _ IH2 | q T1 T2 a b Hq _ IH1 _ IH2]; intros A f HA H;
      cbn [pattern].
    { exists c. intros x Hx. destruct (H x Hx) as [[? E] | [? E]]; cbn in E; auto. }
    all: exists (fun x => q (at_ x)); split; [exact (test_is_cut R l sample default q Hq) |].
    1: left. 2: right.
    all: split; [apply IH1 | apply IH2]; try (intros x Hx; apply filter_In in Hx as [Hx _]; apply HA, Hx).
    all: intros x Hx; apply filter_In in Hx as [Hx E]; specialize (H x Hx); cbn in H; destruct (q (at_ x));
      auto; discriminate.
  Qed.

  (* If the patterns are few, the examples are. *)
  Lemma few_choices s K : few (seq 0 m) K (pattern l rank (seq 0 m) one_label s (seq 0 m)) ->
    (forall choice : nat -> bool, realizes (threshold_test R l) n s sample
      (map (fun i => if choice i then second i else first i) (seq 0 m))) -> 2 ^ m <= K.
  Proof.
    intros Few H. apply (all_patterns_few m _ _ Few).
    intros y Ly Fy. destruct (H (fun i => nth i y 0 =? 1)) as (T & HT & E).
    apply (tree_pattern T); auto using incl_refl. intros x Hx. apply in_seq in Hx.
    apply (f_equal (fun L => nth x L 0)) in E. rewrite map_nth_in_seq in E by lia.
    rewrite (nth_indep _ 0 (evaluate T default)) in E by (rewrite map_length; unfold m in Hx; lia).
    rewrite map_nth in E. unfold at_. rewrite E.
    assert (B : nth x y 0 < 2) by (rewrite Forall_forall in Fy; apply Fy, nth_In; lia).
    destruct (Nat.eqb_spec (nth x y 0) 1); lia.
  Qed.

  Lemma few_patterns_of_choices s : 1 <= m ->
    few (seq 0 m) (count l (fun _ => 2) s (m - 1)) (pattern l rank (seq 0 m) one_label s (seq 0 m)).
  Proof.
    intros Hm. pose proof (structures_have_few_patterns l rank (seq 0 m) one_label (fun _ => 2) one_label_incl
      one_label_bounded one_label_short one_label_few s (seq 0 m) (seq_NoDup m 0) (incl_refl _)) as F.
    rewrite seq_length in F. apply F. destruct m; [lia | discriminate].
  Qed.
End Upper.

Lemma count_two l s M : count l (fun _ => 2) s M <= 2 * b 1 (4 * l) (internal_nodes s) M.
Proof.
  revert M. induction s as [|a IHa b' IHb]; intros M; [cbn; lia |]. cbn [count internal_nodes].
  assert (C : convolution (count l (fun _ => 2) a) (count l (fun _ => 2) b') M <=
    4 * sum M (b 1 (4 * l) (internal_nodes a + internal_nodes b'))).
  { rewrite <- (convolution_b 1 (4 * l)). unfold convolution. rewrite <- sum_mul. apply sum_le. intros x _.
    specialize (IHa x). specialize (IHb (M - 1 - x)). nia. }
  cbn [Nat.add b]. pose proof (b_positive 1 (4 * l) (internal_nodes a + internal_nodes b') M (le_n 1)). nia.
Qed.

Theorem Natarajan_dimension_upper_bound :
  forall (R : linear_order) (l n : nat) (s : structure) (sample : list (nat -> R)),
  Natarajan_shattered (threshold_test R l) n s sample -> 1 <= length sample ->
  2 ^ length sample <= 2 * sum (S (internal_nodes s)) (fun j =>
    binomial (internal_nodes s) j * (4 * l) ^ j * binomial (length sample - 1) j).
Proof.
  intros R l n s sample (first & second & D & H) Hm. destruct sample as [|x sample]; [cbn in Hm; lia |].
  pose proof (few_choices R l n (x :: sample) x first second s _
    (few_patterns_of_choices R l (x :: sample) x first second D s Hm) H) as F.
  etransitivity; [exact F |]. etransitivity; [apply count_two |]. rewrite b_closed. unfold closed.
  apply Nat.mul_le_mono_l, sum_le. intros j _. rewrite Nat.pow_1_l. lia.
Qed.

Theorem Natarajan_dimension_lower_bound :
  forall (X : Type) (allowed : test X -> Prop) (n : nat) (s : structure) (sample : list X), 2 <= n ->
  shattered allowed s sample -> Natarajan_shattered allowed n s sample.
Proof.
  intros X allowed n s sample Hn H. exists (fun _ => 0), (fun _ => 1). split; auto. intros choice.
  destruct (H (map (fun i => if choice i then 1 else 0) (seq 0 (length sample)))) as (T & HT & E).
  - now rewrite map_length, seq_length.
  - apply Forall_map, Forall_forall. intros i _. destruct (choice i); auto.
  - exists T. split; auto. clear - HT Hn. induction HT; [constructor;
    lia | now apply node_has | now apply node_has_mirrored].
Qed.
