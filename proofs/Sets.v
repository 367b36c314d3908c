(* Sets: sets of examples as lists of booleans, their sizes, adding and removing one element. *)

From Coq Require Import List Arith Lia Permutation Bool.
From Treebounds Require Import Definitions Counting Chains.
Import ListNotations.

Fixpoint size (A : list bool) : nat := match A with [] => 0 | x :: A' => (if x then 1 else 0) + size A' end.

(* The sets of k among m examples. *)
Definition ksets (m k : nat) : list (list bool) := filter (fun A => size A =? k) (all_sets m).

Lemma ksets_spec m k A : In A (ksets m k) <-> length A = m /\ size A = k.
Proof. unfold ksets. now rewrite filter_In, all_sets_spec, Nat.eqb_eq. Qed.

Lemma ksets_NoDup m k : NoDup (ksets m k).
Proof. apply NoDup_filter, all_sets_NoDup. Qed.

Lemma filter_map {X Y} (f : X -> Y) p L : filter p (map f L) = map f (filter (fun x => p (f x)) L).
Proof. induction L as [|x L IH]; cbn; auto. rewrite IH. destruct (p (f x)); auto. Qed.

Lemma ksets_length m k : length (ksets m k) = binomial m k.
Proof.
  revert k. induction m; intros k. { destruct k; reflexivity. }
  unfold ksets in *. cbn [all_sets]. rewrite filter_app, !filter_map, app_length, !map_length. cbn [size Nat.add].
  rewrite IHm. destruct k.
  - rewrite !binomial_0. rewrite (filter_ext _ (fun _ => false)) by reflexivity.
    assert (E : filter (fun _ : list bool => false) (all_sets m) = []) by (clear; induction (all_sets m) as [|A L IH]; [reflexivity | exact IH]). rewrite E. reflexivity.
  - rewrite binomial_S, <- (IHm k), Nat.add_comm. reflexivity.
Qed.

Lemma size_le A : size A <= length A.
Proof. induction A as [|[|] A IH]; cbn; lia. Qed.

(* ---- One element --------------------------------------------------------------------------------------------- *)

Definition has (A : list bool) (e : nat) : bool := nth e A false.

Fixpoint set (A : list bool) (e : nat) (v : bool) : list bool :=
  match A, e with [], _ => [] | _ :: A', 0 => v :: A' | x :: A', S e' => x :: set A' e' v end.

Lemma set_length A e v : length (set A e v) = length A.
Proof. revert e. induction A; intros [|e]; cbn; auto. Qed.

Lemma has_set A e v x : e < length A -> has (set A e v) x = if x =? e then v else has A x.
Proof.
  unfold has. revert e x. induction A as [|y A IH]; intros [|e] [|x] H; cbn in *; try lia; auto. apply IH. lia.
Qed.

Lemma has_length A e : has A e = true -> e < length A.
Proof. unfold has. intros H. destruct (le_lt_dec (length A) e); auto. rewrite nth_overflow in H by lia. discriminate. Qed.

Lemma size_add A e : e < length A -> has A e = false -> size (set A e true) = S (size A).
Proof.
  unfold has. revert e. induction A as [|y A IH]; intros [|e] H E; cbn in *; try lia.
  - subst. reflexivity.
  - rewrite IH by (auto; lia). lia.
Qed.

Lemma size_remove A e : has A e = true -> size A = S (size (set A e false)).
Proof.
  unfold has. revert e. induction A as [|y A IH]; intros [|e] E; cbn in *; try discriminate.
  - subst. reflexivity.
  - rewrite (IH e) by auto. lia.
Qed.

Lemma sets_equal A B : length A = length B -> (forall e, e < length A -> has A e = has B e) -> A = B.
Proof. intros H E. apply (nth_ext A B false false); auto. Qed.

Definition ones (A : list bool) : list nat := filter (fun e => has A e) (seq 0 (length A)).
Definition zeros (A : list bool) : list nat := filter (fun e => negb (has A e)) (seq 0 (length A)).

Lemma ones_spec A e : In e (ones A) <-> has A e = true.
Proof. unfold ones. rewrite filter_In, in_seq. split; [tauto |]. intros H. pose proof (has_length A e H). split; auto. lia. Qed.

Lemma zeros_spec A e : In e (zeros A) <-> e < length A /\ has A e = false.
Proof. unfold zeros. rewrite filter_In, in_seq, Bool.negb_true_iff. intuition lia. Qed.

Lemma ones_length A : length (ones A) = size A.
Proof.
  unfold ones. induction A as [|x A IH]; auto. cbn [length seq filter]. rewrite <- seq_shift, filter_map.
  change (has (x :: A) 0) with x. cbn [size]. destruct x; cbn [length]; rewrite map_length;
    change (fun x0 : nat => has (_ :: A) (S x0)) with (fun e => has A e); lia.
Qed.

Lemma zeros_length A : length (zeros A) = length A - size A.
Proof.
  unfold zeros. induction A as [|x A IH]; auto. cbn [length seq filter]. rewrite <- seq_shift, filter_map.
  change (has (x :: A) 0) with x. cbn [size]. pose proof (size_le A). destruct x; cbn [length negb]; rewrite map_length;
    change (fun x0 : nat => negb (has (_ :: A) (S x0))) with (fun e => negb (has A e)); lia.
Qed.

Lemma ones_NoDup A : NoDup (ones A).
Proof. apply NoDup_filter, seq_NoDup. Qed.

Lemma zeros_NoDup A : NoDup (zeros A).
Proof. apply NoDup_filter, seq_NoDup. Qed.

Lemma subset_equal A B : length A = length B -> size B <= size A -> (forall e, has A e = true -> has B e = true) -> A = B.
Proof.
  revert B. induction A as [|x A IH]; intros [|y B] HL HS H; cbn in *; try discriminate; auto.
  pose proof (H 0) as H0. cbn in H0.
  assert (HAB : forall e, has A e = true -> has B e = true) by (intros e; apply (H (S e))).
  assert (M : size A <= size B).
  { rewrite <- !ones_length. apply NoDup_incl_length; [apply ones_NoDup |]. intros e. rewrite !ones_spec. auto. }
  destruct x, y; cbn in *; try (specialize (H0 eq_refl); discriminate); try lia; f_equal; apply IH; auto; lia.
Qed.

(* Two different sets of the same size: each has an element that the other lacks. *)
Lemma element_of_difference A B : length A = length B -> size A = size B -> A <> B ->
  exists a, has A a = true /\ has B a = false.
Proof.
  intros HL HS NE. destruct (existsb (fun a => has A a && negb (has B a)) (seq 0 (length A))) eqn:E.
  - apply existsb_exists in E as (a & _ & E). apply Bool.andb_true_iff in E as [? E]. apply Bool.negb_true_iff in E. eauto.
  - exfalso. apply NE, subset_equal; auto; [lia |]. intros e He. destruct (has B e) eqn:EB; auto.
    assert (X : existsb (fun a => has A a && negb (has B a)) (seq 0 (length A)) = true); [| congruence].
    apply existsb_exists. exists e. rewrite He, EB. split; auto. apply in_seq. apply has_length in He. lia.
Qed.

(* The complement. *)
Definition complement (A : list bool) : list bool := map negb A.

Lemma complement_length A : length (complement A) = length A.
Proof. apply map_length. Qed.

Lemma complement_size A : size (complement A) = length A - size A.
Proof. unfold complement. induction A as [|x A IH]; auto. cbn [map size length]. rewrite IH. pose proof (size_le A). destruct x; cbn [negb]; lia. Qed.

Lemma complement_involutive A : complement (complement A) = A.
Proof. unfold complement. rewrite map_map, (map_ext _ (fun x => x)), map_id; auto. intros []; auto. Qed.

Lemma complement_has A e : e < length A -> has (complement A) e = negb (has A e).
Proof.
  intros H. unfold has, complement. rewrite (nth_indep _ false (negb false)) by (now rewrite map_length).
  now rewrite map_nth.
Qed.
