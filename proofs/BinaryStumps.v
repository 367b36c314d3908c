(* Theorem 1 of Yildiz (2012), the upper side (chapter "Binary features").

   In words: a stump on d >= 1 binary features shatters a sample of m >= 1 examples only if 2^(m - 1) <= d + 1; so
   its VC dimension is at most floor(log2 (d + 1)) + 1. *)

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
