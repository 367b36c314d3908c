(* Theorem 1 of Yildiz (2012), as an equality (chapter "The VC dimension on binary features").

   In words: stumps on d >= 1 binary features shatter a sample of m >= 1 examples if and only if 2^(m - 1) <= d + 1.
   So their VC dimension is floor(log2 (d + 1)) + 1. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting GrowthBound StumpBound.
Import ListNotations.

Definition bits_of (n : bool -> nat) (sample : list (nat -> bool)) (i : nat) : list nat := map (fun x => n (x i)) sample.

Theorem binary_stump_upper_bound :
  forall (d : nat) (sample : list (nat -> bool)), 1 <= length sample ->
  shattered (binary_test d) stump sample -> 2 ^ (length sample - 1) <= d + 1.
Proof.
  intros d sample Hm H. set (m := length sample) in *.
  set (two := fun i => [bits_of (fun v : bool => if v then 0 else 1) sample i; bits_of (fun v : bool => if v then 1 else 0) sample i]).
  assert (I : incl (all_labelings 2 m) (repeat 0 m :: repeat 1 m :: flat_map two (seq 0 d))).
  { intros y Hy. apply all_labelings_spec in Hy as [HL HF]. destruct (H y HL HF) as (T & HT & <-).
    assert (C : forall (q : test (nat -> bool)) T1 T2, binary_test d q -> has_structure (binary_test d) 2 T1 leaf -> has_structure (binary_test d) 2 T2 leaf ->
      In (map (evaluate (Node q T1 T2)) sample) (repeat 0 m :: repeat 1 m :: flat_map two (seq 0 d))).
    { intros q T1 T2 (i & Hi & Hq) H1 H2. inversion H1 as [c Hc | |]; subst. inversion H2 as [c' Hc' | |]; subst.
      assert (K : forall k, (forall x, evaluate (Node q (Leaf c) (Leaf c')) x = k) -> map (evaluate (Node q (Leaf c) (Leaf c'))) sample = repeat k m).
      { intros k HK. unfold m. clear - HK. induction sample as [|x S IH]; auto. cbn [map length repeat]. f_equal; auto. }
      assert (V : (c = 0 \/ c = 1) /\ (c' = 0 \/ c' = 1)) by lia. destruct V as [[-> | ->] [-> | ->]].
      - left. symmetry. apply K. intros x. cbn. now destruct (q x).
      - right. right. apply in_flat_map. exists i. split; [apply in_seq; lia |]. left. apply map_ext. intros x. cbn. now rewrite Hq.
      - right. right. apply in_flat_map. exists i. split; [apply in_seq; lia |]. right. left. apply map_ext. intros x. cbn. now rewrite Hq.
      - right. left. symmetry. apply K. intros x. cbn. now destruct (q x). }
    inversion HT; subst; apply C; auto. }
  apply NoDup_incl_length in I; [| apply all_labelings_NoDup]. rewrite all_labelings_length in I.
  cbn [length] in I. rewrite (flat_map_length_constant 2), seq_length in I by reflexivity.
  replace m with (S (m - 1)) in I at 1 by (unfold m; lia). cbn [Nat.pow] in I. lia.
Qed.

(* ---- The lower side ------------------------------------------------------------------------------------------------------ *)

Fixpoint number (bits : list bool) : nat :=
  match bits with [] => 0 | b :: bits' => 2 * number bits' + Nat.b2n b end.

Lemma number_small bits : number bits < 2 ^ length bits.
Proof. induction bits as [|b bits IH]; cbn [number length Nat.pow]; [lia |]. destruct b; cbn [Nat.b2n]; lia. Qed.

Lemma number_bit bits : forall e, Nat.testbit (number bits) e = nth e bits false.
Proof.
  induction bits as [|b bits IH]; intros e; cbn [number].
  - rewrite Nat.bits_0. now destruct e.
  - destruct e as [|e]; cbn [nth].
    + apply Nat.testbit_0_r.
    + rewrite Nat.testbit_succ_r. apply IH.
Qed.

(* Example 0 has no bit; example e + 1 has bit e of i + 1 in feature i. *)
Definition every_split (m : nat) : list (nat -> bool) :=
  map (fun e i => match e with 0 => false | S e' => Nat.testbit (S i) e' end) (seq 0 m).

Theorem binary_stump_lower_bound :
  forall d m : nat, 1 <= d -> 1 <= m -> 2 ^ (m - 1) <= d + 1 -> VC_dimension_at_least (binary_test d) stump m.
Proof.
  intros d m Hd Hm H. exists (every_split m). unfold every_split. rewrite map_length, seq_length. split; auto.
  intros y Ly Fy. rewrite map_length, seq_length in Ly. destruct y as [|c0 y]; [cbn in Ly; lia |].
  inversion Fy as [| ? ? H0 Fy']; subst. set (bits := map (fun c => negb (c =? c0)) y). set (n := number bits).
  assert (B : forall e, e < length y -> Nat.testbit n e = negb (nth e y 0 =? c0)).
  { intros e He. unfold n. rewrite number_bit. unfold bits. rewrite (nth_indep _ false (negb (0 =? c0))) by (now rewrite map_length).
    apply (map_nth (fun c => negb (c =? c0))). }
  assert (N : n < 2 ^ length y). { unfold n. eapply Nat.lt_le_trans; [apply number_small |]. unfold bits. now rewrite map_length. }
  cbn [length] in H. rewrite Nat.sub_0_r in H || replace (S (length y) - 1) with (length y) in H by lia.
  set (T := Node (fun x : nat -> bool => x (n - 1)) (Leaf (if n =? 0 then c0 else 1 - c0)) (Leaf c0)).
  exists T. split.
  - apply node_has; [exists (n - 1); split; [lia | reflexivity] | apply leaf_has | apply leaf_has; exact H0].
    destruct (n =? 0); lia.
  - rewrite map_map. transitivity (map (fun e => nth e (c0 :: y) 0) (seq 0 (length (c0 :: y)))); [| apply map_nth_seq].
    cbn [length]. apply map_ext_in. intros e He. apply in_seq in He.
    unfold T. cbn [evaluate]. destruct e as [|e]; [reflexivity |]. cbn [nth].
    assert (Hn : nth e y 0 < 2). { rewrite Forall_forall in Fy'. apply Fy', nth_In. lia. }
    specialize (B e ltac:(lia)). destruct (Nat.eqb_spec n 0) as [Z | Z].
    + rewrite Z, Nat.bits_0 in B. symmetry in B. apply negb_false_iff, Nat.eqb_eq in B. rewrite B.
      now destruct (Nat.testbit (S (n - 1)) e).
    + replace (S (n - 1)) with n by lia. rewrite B. destruct (Nat.eqb_spec (nth e y 0) c0) as [E | E]; cbn [negb]; lia.
Qed.
