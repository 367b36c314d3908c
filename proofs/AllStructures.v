(* All structures together (chapters "More on growth functions", "What is a leaf worth?"): the logarithm of the bound is
   concave in the number of nodes.

   In words: let a(N) = n^(N + 1) l^N Catalan(N) C(M, N), the bound for all structures with N internal nodes, times (N
   + 1)^2 for the choice of the number of leaves. Then a(N) a(N + 2) <= a(N + 1)^2. So the increments of the logarithm
   do not grow as long as a(N) is positive. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting.

(* The number of plane binary trees with N internal nodes. *)
Definition catalan (N : nat) : nat := binomial (2 * N) N - binomial (2 * N) (N + 1).

(* The bound for all structures with N internal nodes, at M + 1 examples,
   and the price of the number of leaves. *)
Definition priced_bound (n l M N : nat) : nat :=
  (N + 1) ^ 2 * (n ^ (N + 1) * l ^ N * catalan N * binomial M N).

Lemma catalan_binomial N : (N + 1) * catalan N = binomial (2 * N) N.
Proof.
  unfold catalan. pose proof (binomial_step (2 * N) N) as H. replace (2 * N - N) with N in H by lia.
  rewrite Nat.mul_sub_distr_l. replace (N + 1) with (S N) in * by lia. rewrite H. nia.
Qed.

Lemma central_binomial N : (N + 1) * binomial (2 * (N + 1)) (N + 1) = 2 * (2 * N + 1) * binomial (2 * N) N.
Proof.
  pose proof (binomial_absorb (2 * N + 1) N) as H1. pose proof (binomial_absorb (2 * N) N) as H2.
  pose proof (binomial_symmetric (2 * N + 1) N ltac:(lia)) as H3.
  replace (2 * N + 1 - N) with (S N) in H3 by lia. replace (S (2 * N)) with (2 * N + 1) in H2 by lia.
  replace (2 * (N + 1)) with (S (2 * N + 1)) by lia. replace (N + 1) with (S N) by lia. nia.
Qed.

Lemma catalan_step N : (N + 2) * catalan (N + 1) = 2 * (2 * N + 1) * catalan N.
Proof.
  pose proof (catalan_binomial N) as H1. pose proof (catalan_binomial (N + 1)) as H2.
  pose proof (central_binomial N) as H3. replace (N + 1 + 1) with (N + 2) in H2 by lia. nia.
Qed.

(* The bound without the price: one more node. *)
Definition all_structures (n l M N : nat) : nat := n ^ (N + 1) * l ^ N * catalan N * binomial M N.

Lemma all_structures_step n l M N :
  all_structures n l M (N + 1) * ((N + 1) * (N + 2)) = all_structures n l M N * (2 * n * l * (2 * N + 1) * (M
    - N)).
Proof.
  unfold all_structures. pose proof (catalan_step N) as H1. pose proof (binomial_step M N) as H2.
  replace (S N) with (N + 1) in H2 by lia. replace (n ^ (N + 1 + 1)) with (n * n ^ (N + 1)).
  2:{ rewrite (Nat.add_comm (N + 1) 1). reflexivity. }
  replace (l ^ (N + 1)) with (l * l ^ N) by (rewrite Nat.add_comm; reflexivity).
  set (p := n ^ (N + 1)). set (q := l ^ N).
  transitivity (n * p * (l * q) * ((N + 2) * catalan (N + 1)) * ((N + 1) * binomial M (N + 1))); [ring |].
  rewrite H1, H2. ring.
Qed.

Lemma concave_from_ratios x y z N M c : y * ((N + 1) * (N + 2)) = x * (c * (2 * N + 1) * (M - N)) ->
  z * ((N + 2) * (N + 3)) = y * (c * (2 * N + 3) * (M - (N + 1))) -> x * z <= y * y.
Proof.
  intros H1 H2. destruct (Nat.eq_dec (c * (M - N)) 0) as [Z | Z].
  { replace (x * (c * (2 * N + 1) * (M - N))) with (x * (2 * N + 1) * (c * (M - N))) in H1 by ring.
    rewrite Z, Nat.mul_0_r in H1. apply Nat.eq_mul_0 in H1 as [-> | H1]; [| nia].
    rewrite Nat.mul_0_l in H2. apply Nat.eq_mul_0 in H2 as [-> | H2]; nia. }
  assert (P : 0 < c * (M - N)) by now apply Nat.neq_0_lt_0.
  assert (E : x * z * ((N + 3) * (2 * N + 1) * (c * (M - N)) * (N + 2)) =
    y * y * ((N + 1) * (2 * N + 3) * (c * (M - (N + 1))) * (N + 2))).
  { transitivity (z * ((N + 2) * (N + 3)) * (x * (c * (2 * N + 1) * (M - N)))); [ring |]. rewrite H2, <- H1.
    ring. }
  assert (I : (N + 1) * (2 * N + 3) * (c * (M - (N + 1))) * (N + 2) <= (N + 3) * (2 * N + 1) * (c * (M - N)) *
    (N + 2)).
  { apply Nat.mul_le_mono_r, Nat.mul_le_mono; [nia | apply Nat.mul_le_mono_l; lia]. }
  assert (Q : 0 < (N + 3) * (2 * N + 1) * (c * (M - N)) * (N + 2)).
  { apply Nat.mul_pos_pos; [apply Nat.mul_pos_pos; [apply Nat.mul_pos_pos; lia | exact P] | lia]. }
  apply (Nat.mul_le_mono_pos_r _ _ ((N + 3) * (2 * N + 1) * (c * (M - N)) * (N + 2))); [exact Q |].
  rewrite E. now apply Nat.mul_le_mono_l.
Qed.

Theorem priced_bound_is_log_concave :
  forall n l M N : nat, priced_bound n l M N * priced_bound n l M (N + 2) <= priced_bound n l M (N + 1) ^ 2.
Proof.
  intros n l M N. change (priced_bound n l M) with (fun N => (N + 1) ^ 2 * all_structures n l M N). cbv beta.
  assert (C : all_structures n l M N * all_structures n l M (N + 2) <=
    all_structures n l M (N + 1) * all_structures n l M (N + 1)).
  { apply (concave_from_ratios _ _ _ N M (2 * n * l)); [apply all_structures_step |].
    pose proof (all_structures_step n l M (N + 1)) as H. replace (N + 1 + 1) with (N + 2) in H by lia.
    replace (N + 1 + 2) with (N + 3) in H by lia. replace (2 * (N + 1) + 1) with (2 * N + 3) in H by lia.
      exact H. }
  replace (N + 2 + 1) with (N + 3) by lia. replace (N + 1 + 1) with (N + 2) by lia.
  rewrite (Nat.pow_2_r ((N + 2) ^ 2 * _)).
  transitivity ((N + 1) ^ 2 * (N + 3) ^ 2 * (all_structures n l M N * all_structures n l M (N + 2)));
    [apply Nat.eq_le_incl; ring |].
  transitivity ((N + 2) ^ 2 * (N + 2) ^ 2 * (all_structures n l M (N + 1) * all_structures n l M (N + 1)));
    [| apply Nat.eq_le_incl; ring].
  apply Nat.mul_le_mono; auto. rewrite <- !Nat.pow_mul_l. apply Nat.pow_le_mono_l. lia.
Qed.
