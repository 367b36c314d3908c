(* The loose form of Theorem 9 as printed by Leboeuf, LeBlanc and Marchand (2020, section 6.2) is not an upper bound
   (chapter "More on growth functions").

   In words: for a stump the printed form is (m - 2) 2 l / 2. On one feature a stump has m - 1 partitions of m >= 2
   examples into two parts, but the printed form is m - 2. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting StumpBound StumpGrowth.

(* The sum over k = 1, ..., m - 1 has m - L + 1 = m - 1 terms; the printed form has the factor m - L. *)
Definition printed_loose_form (l m : nat) : nat := (m - 2) * (2 * l) / 2.

Theorem printed_loose_form_is_no_bound :
  forall m : nat, 2 <= m -> ~ partitioning_at_most (threshold_test natural_numbers 1) stump m (printed_loose_form 1 m).
Proof.
  intros m Hm B. destruct (stump_partitioning_function 1 m (le_n 1) ltac:(lia)) as [_ (sample & Y & HL & HP & HK)].
  specialize (B sample Y HL HP). rewrite HK in B.
  rewrite (sum_ext _ _ (fun _ => 2)), sum_const in B.
  - unfold printed_loose_form in B. rewrite !Nat.div_mul in B by lia. lia.
  - intros k Hk. pose proof (binomial_positive m (k + 1) ltac:(lia)).
    apply Nat.min_l. destruct (Nat.eq_dec (binomial m (k + 1)) 1) as [E1 |]; [| lia]. exfalso.
    pose proof (binomial_absorb (m - 1) k) as A. replace (S (m - 1)) with m in A by lia. replace (S k) with (k + 1) in A by lia.
    rewrite E1 in A. pose proof (binomial_positive (m - 1) k ltac:(lia)). nia.
Qed.
