(* Counting: sums, binomial coefficients and lists, as the other files need them. Nothing here is about trees. *)

From Coq Require Import List Arith Lia Permutation.
From Treebounds Require Import Definitions.
Import ListNotations.

(* ---- Sums --------------------------------------------------------------------------------------------------- *)

Lemma sum_ext K f g : (forall i, i < K -> f i = g i) -> sum K f = sum K g.
Proof. induction K; intros H; cbn; auto. rewrite IHK, H; auto. Qed.

Lemma sum_le K f g : (forall i, i < K -> f i <= g i) -> sum K f <= sum K g.
Proof. induction K; intros H; cbn; auto. apply Nat.add_le_mono; auto. Qed.

Lemma sum_add K f g : sum K (fun i => f i + g i) = sum K f + sum K g.
Proof. induction K; cbn; lia. Qed.

Lemma sum_mul K c f : sum K (fun i => c * f i) = c * sum K f.
Proof. induction K; cbn; lia. Qed.

Lemma sum_const K c : sum K (fun _ => c) = K * c.
Proof. induction K; cbn; lia. Qed.

Lemma sum_first K f : sum (S K) f = f 0 + sum K (fun i => f (S i)).
Proof. induction K; [cbn; lia |]. change (sum (S (S K)) f) with (sum (S K) f + f (S K)). rewrite IHK. cbn. lia. Qed.

Lemma sum_reverse K f : sum K f = sum K (fun i => f (K - 1 - i)).
Proof.
  revert f. induction K; intros f; auto. rewrite sum_first. cbn. rewrite IHK, Nat.add_comm. f_equal.
  - apply sum_ext. intros. f_equal. lia.
  - f_equal. lia.
Qed.

Lemma sum_swap K L f : sum K (fun i => sum L (fun j => f i j)) = sum L (fun j => sum K (fun i => f i j)).
Proof. induction K; cbn. { rewrite sum_const. lia. } rewrite IHK, <- sum_add. reflexivity. Qed.

Lemma sum_mono K L f : K <= L -> sum K f <= sum L f.
Proof. induction 1; cbn; lia. Qed.

Lemma sum_split K L f : sum (K + L) f = sum K f + sum L (fun i => f (K + i)).
Proof. induction L; cbn. { now rewrite Nat.add_0_r. } rewrite Nat.add_succ_r. cbn. rewrite IHL. lia. Qed.

Lemma sum_term K f i : i < K -> f i <= sum K f.
Proof. induction K; intros; [lia |]. cbn. destruct (Nat.eq_dec i K); subst; [lia |]. enough (f i <= sum K f) by lia. apply IHK; lia. Qed.

(* ---- Binomial coefficients ---------------------------------------------------------------------------------- *)

Lemma binomial_0 N : binomial N 0 = 1.
Proof. destruct N; reflexivity. Qed.

Lemma binomial_S N k : binomial (S N) (S k) = binomial N k + binomial N (S k).
Proof. reflexivity. Qed.

Lemma binomial_large N k : N < k -> binomial N k = 0.
Proof.
  revert k. induction N; intros [|k] H; try lia; auto. rewrite binomial_S, !IHN; lia.
Qed.

Lemma binomial_diagonal N : binomial N N = 1.
Proof. induction N; auto. rewrite binomial_S, IHN, binomial_large; lia. Qed.

Lemma binomial_1 N : binomial N 1 = N.
Proof. induction N; auto. rewrite binomial_S, IHN, binomial_0. lia. Qed.

Lemma binomial_positive N k : k <= N -> 1 <= binomial N k.
Proof.
  revert k. induction N; intros [|k] H; cbn; try lia. rewrite ?binomial_S. assert (1 <= binomial N k) by (apply IHN; lia). lia.
Qed.

Lemma hockey_stick N j : sum N (fun x => binomial x j) = binomial N (S j).
Proof. induction N; auto. cbn [sum]. rewrite IHN, binomial_S. lia. Qed.

Lemma binomial_absorb N k : S k * binomial (S N) (S k) = S N * binomial N k.
Proof.
  revert k. induction N; intros k.
  - destruct k; cbn; try lia. 
  - rewrite binomial_S. destruct k.
    + rewrite !binomial_0, binomial_1. lia.
    + pose proof (IHN k). pose proof (IHN (S k)). rewrite (binomial_S N k) in *. nia.
Qed.

Lemma binomial_step N k : S k * binomial N (S k) = (N - k) * binomial N k.
Proof.
  pose proof (binomial_absorb N k) as H. rewrite binomial_S in H.
  destruct (le_lt_dec k N); [nia | rewrite !binomial_large by lia; lia].
Qed.

Lemma binomial_symmetric N k : k <= N -> binomial N (N - k) = binomial N k.
Proof.
  revert k. induction N; intros k H. { assert (k = 0) by lia. subst. reflexivity. }
  destruct k. { rewrite Nat.sub_0_r, binomial_diagonal, binomial_0. reflexivity. }
  destruct (Nat.eq_dec k N) as [-> | Hk]. { rewrite Nat.sub_diag, binomial_0, binomial_diagonal. reflexivity. }
  replace (S N - S k) with (S (N - S k)) by lia. rewrite !binomial_S.
  rewrite IHN by lia. replace (S (N - S k)) with (N - k) by lia. rewrite IHN; lia.
Qed.

Lemma binomial_increases N k : 2 * k + 1 <= N -> binomial N k <= binomial N (S k).
Proof. intros H. pose proof (binomial_step N k). assert (binomial N k * S k <= binomial N (S k) * S k); nia. Qed.

Lemma binomial_monotone_below N j k : j <= k -> 2 * k <= N -> binomial N j <= binomial N k.
Proof.
  induction 1; intros; auto. etransitivity; [apply IHle; lia | apply binomial_increases; lia].
Qed.

Lemma half_bounds d : 2 * (d / 2) <= d <= 2 * (d / 2) + 1.
Proof. pose proof (Nat.div_mod d 2). pose proof (Nat.mod_upper_bound d 2). lia. Qed.

Lemma binomial_central N k : binomial N k <= binomial N (N / 2).
Proof.
  pose proof (half_bounds N).
  destruct (le_lt_dec (2 * k) N). { apply binomial_monotone_below; lia. }
  destruct (le_lt_dec k N); [| rewrite binomial_large; lia].
  rewrite <- binomial_symmetric by lia. apply binomial_monotone_below; lia.
Qed.

Lemma sum_binomial N : sum (S N) (binomial N) = 2 ^ N.
Proof.
  induction N; auto. rewrite sum_first, binomial_0.
  rewrite (sum_ext _ _ (fun i => binomial N i + binomial N (S i))) by reflexivity.
  rewrite sum_add. pose proof (sum_first (S N) (binomial N)) as H. rewrite binomial_0 in H.
  change (sum (S (S N)) (binomial N)) with (sum (S N) (binomial N) + binomial N (S N)) in H.
  rewrite (binomial_large N (S N)) in H by lia. cbn [Nat.pow].
  change (sum (S N) (fun i => binomial N i)) with (sum (S N) (binomial N)). lia.
Qed.

Lemma binomial_monotone N M k : N <= M -> binomial N k <= binomial M k.
Proof. induction 1; auto. destruct k; [rewrite !binomial_0; lia |]. rewrite binomial_S. lia. Qed.

(* Vandermonde's inequality in the form that the count of cuts needs: C(x, a) C(y, b) <= C(x + y, a + b). *)
Lemma binomial_product x y a b : binomial x a * binomial y b <= binomial (x + y) (a + b).
Proof.
  revert a. induction x; intros a.
  - destruct a; cbn [binomial Nat.add]; [rewrite Nat.mul_1_l; lia | lia].
  - destruct a.
    + rewrite binomial_0, Nat.mul_1_l. cbn [Nat.add]. apply binomial_monotone. lia.
    + cbn [Nat.add]. rewrite !binomial_S. pose proof (IHx a). pose proof (IHx (S a)). cbn [Nat.add] in *. nia.
Qed.

(* ---- The numbers of the growth bound ------------------------------------------------------------------------- *)

(* b u w N M = sum_j C(N, j) u^(N - j) w^j C(M, j), by recursion on N: the factor u + w (prefix sum). *)
Section GrowthNumbers.
  Variables u w : nat.

  Fixpoint b (N : nat) (M : nat) : nat :=
    match N with 0 => 1 | S N' => u * b N' M + w * sum M (b N') end.

  Definition closed (N M : nat) : nat := sum (S N) (fun j => binomial N j * u ^ (N - j) * w ^ j * binomial M j).

  Lemma b_closed N M : b N M = closed N M.
  Proof.
    revert M. induction N; intros M. { cbn. rewrite binomial_0. reflexivity. }
    cbn [b]. rewrite IHN. rewrite (sum_ext M _ (fun x => closed N x)) by auto.
    unfold closed at 2. rewrite sum_swap.
    rewrite (sum_ext _ _ (fun j => binomial N j * u ^ (N - j) * w ^ j * binomial M (S j))).
    2:{ intros. rewrite sum_mul, hockey_stick. reflexivity. }
    unfold closed. rewrite <- !sum_mul.
    rewrite (sum_first (S N)), binomial_0, Nat.sub_0_r.
    rewrite (sum_ext (S N) (fun i => binomial (S N) (S i) * _ * _ * _)
       (fun i => binomial N i * u ^ (N - i) * w ^ (S i) * binomial M (S i)
               + binomial N (S i) * u ^ (N - i) * w ^ (S i) * binomial M (S i))).
    2:{ intros. rewrite binomial_S. cbn [Nat.sub]. nia. }
    rewrite sum_add.
    rewrite (sum_ext _ (fun i => w * _) (fun i => binomial N i * u ^ (N - i) * w ^ (S i) * binomial M (S i))).
    2:{ intros. cbn [Nat.pow]. nia. }
    rewrite (sum_first N), binomial_0, Nat.sub_0_r. cbn [sum].
    rewrite (binomial_large N (S N)) by lia.
    rewrite (sum_ext N (fun i => u * _) (fun i => binomial N (S i) * u ^ (N - i) * w ^ (S i) * binomial M (S i))).
    2:{ intros. replace (N - i) with (S (N - S i)) by lia. cbn [Nat.pow]. nia. }
    cbn [Nat.pow]. nia.
  Qed.

  Definition convolution (f g : nat -> nat) (M : nat) : nat := sum M (fun x => f x * g (M - 1 - x)).

  Lemma convolution_commutes f g M : convolution f g M = convolution g f M.
  Proof. unfold convolution. rewrite sum_reverse. apply sum_ext. intros. rewrite Nat.mul_comm. do 2 f_equal. lia. Qed.

  Lemma convolution_prefix f g M : convolution (fun x => sum x f) g M = sum M (convolution f g).
  Proof.
    induction M; auto. cbn [sum]. rewrite <- IHM. unfold convolution. rewrite sum_first. cbn [sum].
    rewrite Nat.mul_0_l, Nat.add_0_l, <- sum_add. apply sum_ext. intros.
    replace (S M - 1 - S i) with (M - 1 - i) by lia. nia.
  Qed.

  Lemma convolution_b i j M : convolution (b i) (b j) M = sum M (b (i + j)).
  Proof.
    revert M. induction i; intros M.
    - unfold convolution. cbn [b Nat.add]. rewrite (sum_reverse M (b j)). apply sum_ext. intros. lia.
    - cbn [Nat.add]. cbn [b]. rewrite sum_add, !sum_mul, <- IHi.
      rewrite (sum_ext M (fun i0 => sum i0 _) (fun i0 => convolution (b i) (b j) i0)) by (intros; now rewrite IHi).
      rewrite <- convolution_prefix. unfold convolution. rewrite <- !sum_mul, <- sum_add.
      apply sum_ext. intros. nia.
  Qed.

  (* The key identity: one more node. *)
  Lemma b_step i j M : w * convolution (b i) (b j) M + u * b (i + j) M = b (i + j + 1) M.
  Proof. rewrite convolution_b, Nat.add_1_r. cbn [b]. lia. Qed.

  Lemma b_product i j x y : b i x * b j y <= b (i + j) (x + y).
  Proof.
    revert x. induction i; intros x.
    - cbn [b Nat.add]. rewrite Nat.mul_1_l. clear. revert x y. induction j; intros; auto. cbn [b].
      apply Nat.add_le_mono; apply Nat.mul_le_mono_l; auto. apply sum_mono. lia.
    - cbn [Nat.add b]. rewrite Nat.mul_add_distr_r. apply Nat.add_le_mono.
      + rewrite <- Nat.mul_assoc. apply Nat.mul_le_mono_l. auto.
      + rewrite <- Nat.mul_assoc. apply Nat.mul_le_mono_l. rewrite Nat.mul_comm, <- sum_mul.
        rewrite (Nat.add_comm x y), sum_split. transitivity (sum x (fun i0 => b (i + j) (y + i0))); [| lia].
        apply sum_le. intros. rewrite Nat.mul_comm, (Nat.add_comm y). auto.
  Qed.

  Lemma b_positive N M : 1 <= u -> 1 <= b N M.
  Proof. intros. induction N; cbn [b]; nia. Qed.

  Lemma b_monotone N M : 1 <= u -> b N M <= b (S N) M.
  Proof. intros. cbn [b]. nia. Qed.
End GrowthNumbers.

Lemma b_monotone_examples u w N x y : x <= y -> b u w N x <= b u w N y.
Proof.
  revert x y. induction N; intros x y H; cbn [b]; auto.
  apply Nat.add_le_mono; apply Nat.mul_le_mono_l; auto. now apply sum_mono.
Qed.

(* ---- Lists without repetitions --------------------------------------------------------------------------------- *)

Lemma NoDup_app_parts {X} (u v : list X) : NoDup (u ++ v) <-> NoDup u /\ NoDup v /\ forall x, In x u -> ~ In x v.
Proof.
  induction u as [|x u IH]; cbn.
  - intuition. constructor.
  - rewrite !NoDup_cons_iff, IH, in_app_iff. split.
    + intros (H & ? & ? & D). intuition; subst; eauto. 
    + intros ((? & ?) & ? & D). intuition; eauto.
Qed.

Lemma NoDup_flat_map {X Y} (F : X -> list Y) L : NoDup L -> (forall x, In x L -> NoDup (F x)) ->
  (forall x x' y, In x L -> In x' L -> In y (F x) -> In y (F x') -> x = x') -> NoDup (flat_map F L).
Proof.
  induction L as [|x L IH]; cbn; intros ND H1 H2. constructor.
  apply NoDup_cons_iff in ND as [Hx ND]. apply NoDup_app_parts. split; [| split]; auto.
  - apply IH; eauto.
  - intros y Hy Hy'. apply in_flat_map in Hy' as (x' & Hx' & Hy').
    apply Hx. rewrite (H2 x x' y); auto.
Qed.

Lemma NoDup_map_injective {X Y} (F : X -> Y) L : NoDup L ->
  (forall x x', In x L -> In x' L -> F x = F x' -> x = x') -> NoDup (map F L).
Proof.
  induction L as [|x L IH]; cbn; intros ND H. constructor.
  apply NoDup_cons_iff in ND as [Hx ND]. constructor; auto.
  intros Hy. apply in_map_iff in Hy as (x' & E & Hx'). apply Hx. rewrite (H x x'); auto.
Qed.

Lemma flat_map_length_constant {X Y} K (F : X -> list Y) L :
  (forall x, In x L -> length (F x) = K) -> length (flat_map F L) = length L * K.
Proof. intros H. induction L; cbn in *; auto. rewrite app_length, H, IHL; auto. Qed.

Lemma filter_length_le {X} (p q : X -> bool) A : (forall x, In x A -> p x = true -> q x = true) ->
  length (filter p A) <= length (filter q A).
Proof.
  induction A as [|x A IH]; cbn; intros H; auto. specialize (IH (fun y Hy => H y (or_intror Hy))).
  specialize (H x (or_introl eq_refl)). destruct (p x), (q x); cbn; try lia. all: specialize (H eq_refl); easy.
Qed.

Lemma filter_length_lt {X} (p q : X -> bool) A z : (forall x, In x A -> p x = true -> q x = true) ->
  In z A -> p z = false -> q z = true -> length (filter p A) < length (filter q A).
Proof.
  induction A as [|x A IH]; cbn; intros H Hz Hp Hq; [easy |].
  assert (IH' : forall y, In y A -> p y = true -> q y = true) by auto.
  pose proof (filter_length_le p q A IH') as HL.
  destruct Hz as [-> | Hz].
  - rewrite Hp, Hq. cbn. lia.
  - specialize (IH IH' Hz Hp Hq). specialize (H x (or_introl eq_refl)). destruct (p x), (q x); cbn; try lia.
    all: specialize (H eq_refl); easy.
Qed.

Lemma filter_short {X} (p : X -> bool) A : length (filter p A) <= length A.
Proof. induction A as [|x A IH]; cbn; auto. destruct (p x); cbn; lia. Qed.
