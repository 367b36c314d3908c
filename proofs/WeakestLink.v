(* The best pruning is a cheapest one at some price of a leaf (chapter "What is a leaf worth?").

   In words: let a bound be the sum of a price c > 0 for each training error and a penalty of the number of leaves
   that does not fall and whose increments do not grow. Then there is a price p / q > 0 of a leaf, in errors, such
   that every pruning of a tree that minimizes q * errors + p * leaves among all prunings also minimizes the bound
   among them. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting.
Import ListNotations.

(* A grown tree: each node has the number of training errors that it makes if it is a leaf. *)
Inductive grown_tree : Type :=
  | Grown_leaf (errors : nat)
  | Grown_node (errors : nat) (left right : grown_tree).

(* Its prunings: a node becomes a leaf, or stays with a pruning of each of its subtrees. *)
Fixpoint prunings (T : grown_tree) : list grown_tree :=
  match T with
  | Grown_leaf e => [Grown_leaf e]
  | Grown_node e a b =>
      Grown_leaf e :: flat_map (fun a' => map (fun b' => Grown_node e a' b') (prunings b)) (prunings a)
  end.

Fixpoint leaves_of (T : grown_tree) : nat :=
  match T with Grown_leaf _ => 1 | Grown_node _ a b => leaves_of a + leaves_of b end.

Fixpoint errors_of (T : grown_tree) : nat :=
  match T with Grown_leaf e => e | Grown_node _ a b => errors_of a + errors_of b end.

(* Costs are numbers that can be added and compared: the real numbers, or others. *)
Record ordered_costs : Type := {
  amount :> linear_order;
  zero : amount;
  plus : amount -> amount -> amount;
  plus_commutes : forall u v, plus u v = plus v u;
  plus_associates : forall u v w, plus u (plus v w) = plus (plus u v) w;
  plus_zero : forall u, plus u zero = u;
  plus_order : forall u v w, le amount (plus u w) (plus v w) = le amount u v
}.

Fixpoint times {V : ordered_costs} (k : nat) (c : V) : V :=
  match k with 0 => zero V | S k' => plus V (times k' c) c end.

(* The bound: c for each training error, and the penalty of the number of leaves. *)
Definition bound {V : ordered_costs} (c : V) (penalty : nat -> V) (T : grown_tree) : V :=
  plus V (times (errors_of T) c) (penalty (leaves_of T)).

(* P minimizes q * errors + p * leaves among all prunings of T. *)
Definition cheapest (p q : nat) (T P : grown_tree) : Prop :=
  In P (prunings T) /\
  forall Q, In Q (prunings T) -> q * errors_of P + p * leaves_of P <= q * errors_of Q + p * leaves_of Q.

(* ---- A fraction between fractions --------------------------------------------------------------------------------------- *)

Section Fractions.
  (* (a, b) stands for a / (b + 1). *)
  Notation below x y := (fst x * S (snd y) < fst y * S (snd x)).
  Notation below_eq x y := (fst x * S (snd y) <= fst y * S (snd x)).

  Lemma below_eq_trans (x y z : nat * nat) : below_eq x y -> below_eq y z -> below_eq x z.
  Proof.
    destruct x as [a b], y as [a' b'], z as [a'' b'']. cbn [fst snd]. intros H H'.
    apply (Nat.mul_le_mono_pos_r _ _ (S b')); [lia |].
    apply Nat.le_trans with (a' * S b * S b''); [nia |]. nia.
  Qed.

  Lemma largest (x : nat * nat) R : exists y, In y (x :: R) /\ forall z, In z (x :: R) -> below_eq z y.
  Proof.
    revert x. induction R as [|x' R IH]; intros x.
    - exists x. split; [now left |]. intros z [<- | []]. lia.
    - destruct (IH x') as (y & Hy & H). destruct (Nat.le_gt_cases (fst x * S (snd y)) (fst y * S (snd x))) as [C | C].
      + exists y. split; [now right |]. intros z [<- | Hz]; auto.
      + exists x. split; [now left |]. intros z [<- | Hz]; auto. apply (below_eq_trans z y x); auto. lia.
  Qed.

  Lemma smallest (x : nat * nat) R : exists y, In y (x :: R) /\ forall z, In z (x :: R) -> below_eq y z.
  Proof.
    revert x. induction R as [|x' R IH]; intros x.
    - exists x. split; [now left |]. intros z [<- | []]. lia.
    - destruct (IH x') as (y & Hy & H). destruct (Nat.le_gt_cases (fst y * S (snd x)) (fst x * S (snd y))) as [C | C].
      + exists y. split; [now right |]. intros z [<- | Hz]; auto.
      + exists x. split; [now left |]. intros z [<- | Hz]; auto. apply (below_eq_trans x y z); auto. lia.
  Qed.

  Lemma between (low high : list (nat * nat)) :
    (forall x y, In x low -> In y high -> below x y) -> (forall y, In y high -> 1 <= fst y) ->
    exists p q, 1 <= p /\ 1 <= q /\ (forall x, In x low -> fst x * q < p * S (snd x)) /\
      (forall y, In y high -> p * S (snd y) < fst y * q).
  Proof.
    intros H P. destruct (largest (0, 0) low) as ([a b] & Hl & L).
    assert (B : forall y, In y high -> below (a, b) y).
    { intros y Hy. destruct Hl as [<- | Hl]; auto. cbn [fst snd]. specialize (P y Hy). nia. }
    destruct high as [|h high].
    - exists (S a), (S b). repeat split; try lia.
      + intros x Hx. specialize (L x (or_intror Hx)). cbn [fst snd] in L. nia.
      + intros y [].
    - destruct (smallest h high) as ([a' b'] & Hs & M). pose proof (B _ Hs) as C. cbn [fst snd] in C.
      exists (a + a'), (S b + S b'). pose proof (P _ Hs) as Q. cbn [fst] in Q. repeat split; try lia.
      + intros [x x'] Hx. specialize (L _ (or_intror Hx)).
        pose proof (below_eq_trans (x, x') (a, b) (a', b') L ltac:(cbn [fst snd]; lia)) as L'.
        cbn [fst snd] in *.
        assert (x * S b' < a' * S x'); [| lia].
        apply (Nat.mul_lt_mono_pos_r (S b)); [lia |]. nia.
      + intros [y y'] Hy. specialize (M _ Hy). pose proof (B _ Hy) as B'. cbn [fst snd] in *. lia.
  Qed.
End Fractions.

(* ---- Adding and comparing costs ----------------------------------------------------------------------------------------- *)

Section Costs.
  Variable V : ordered_costs.

  Lemma le_refl (u : V) : le V u u = true.
  Proof. now destruct (le_total V u u). Qed.

  Lemma lt_le (u v : V) : le V v u = false -> le V u v = true.
  Proof. intros H. destruct (le_total V u v); congruence. Qed.

  Lemma lt_le_trans (u v w : V) : le V v u = false -> le V v w = true -> le V w u = false.
  Proof.
    intros H H'. destruct (le V w u) eqn:E; auto. rewrite <- H. symmetry. eapply le_transitive; eauto.
  Qed.

  Lemma le_lt_trans (u v w : V) : le V u v = true -> le V w v = false -> le V w u = false.
  Proof.
    intros H H'. destruct (le V w u) eqn:E; auto. rewrite <- H'. symmetry. eapply le_transitive; eauto.
  Qed.

  Lemma plus_order_left (u v w : V) : le V (plus V w u) (plus V w v) = le V u v.
  Proof. rewrite !(plus_commutes V w). apply plus_order. Qed.

  Lemma plus_le (u v u' v' : V) : le V u v = true -> le V u' v' = true -> le V (plus V u u') (plus V v v') = true.
  Proof.
    intros H H'. apply le_transitive with (plus V v u'). { now rewrite plus_order. } now rewrite plus_order_left.
  Qed.

  Lemma times_add j k (c : V) : times (j + k) c = plus V (times j c) (times k c).
  Proof.
    induction k; cbn [times]. { now rewrite Nat.add_0_r, plus_zero. }
    rewrite Nat.add_succ_r. cbn [times]. now rewrite IHk, plus_associates.
  Qed.

  Lemma times_mul j k (c : V) : times (j * k) c = times j (times k c).
  Proof.
    induction j; auto. cbn [Nat.mul times]. rewrite Nat.add_comm, times_add. now rewrite IHj.
  Qed.

  Lemma times_le k (c c' : V) : le V c c' = true -> le V (times k c) (times k c') = true.
  Proof. intros H. induction k; cbn [times]; [apply le_refl | now apply plus_le]. Qed.

  Lemma times_lt k (c c' : V) : 1 <= k -> le V c' c = false -> le V (times k c') (times k c) = false.
  Proof.
    intros Hk H. destruct k as [|k]; [inversion Hk |]. cbn [times]. clear Hk.
    apply le_lt_trans with (plus V (times k c') c). { rewrite plus_order. now apply times_le, lt_le. }
    now rewrite plus_order_left.
  Qed.

  Lemma times_positive k (c : V) : le V (zero V) c = true -> le V (zero V) (times k c) = true.
  Proof.
    intros H. induction k; cbn [times]; [apply le_refl |]. rewrite <- (plus_zero V (zero V)). now apply plus_le.
  Qed.

  Lemma times_less j k (c : V) : le V c (zero V) = false -> le V (times k c) (times j c) = false -> j < k.
  Proof.
    intros Hc H. destruct (Nat.le_gt_cases k j) as [C | C]; auto. exfalso.
    rewrite <- not_true_iff_false in H. apply H. replace j with (k + (j - k)) by lia. rewrite times_add.
    rewrite <- (plus_zero V (times k c)) at 1. rewrite plus_order_left. now apply times_positive, lt_le.
  Qed.

  (* ---- The penalty lies below its tangents ------------------------------------------------------------------------------ *)

  Variables penalty increment : nat -> V.
  Hypothesis steps : forall L, penalty (S L) = plus V (penalty L) (increment L).
  Hypothesis growing : forall L, le V (zero V) (increment L) = true.
  Hypothesis concave : forall L, le V (increment (S L)) (increment L) = true.

  Lemma increments_fall L k : le V (increment (k + L)) (increment L) = true.
  Proof. induction k; [apply le_refl |]. eapply le_transitive; [apply concave | exact IHk]. Qed.

  Lemma right_of L k : le V (penalty (k + L)) (plus V (penalty L) (times k (increment L))) = true.
  Proof.
    induction k; cbn [times Nat.add]. { rewrite plus_zero. apply le_refl. }
    rewrite steps, plus_associates. apply plus_le; auto using increments_fall.
  Qed.

  Lemma left_of L k : le V (plus V (penalty L) (times k (increment (k + L)))) (penalty (k + L)) = true.
  Proof.
    induction k; cbn [times Nat.add]. { rewrite plus_zero. apply le_refl. }
    rewrite steps, plus_associates. apply plus_le.
    - eapply le_transitive; [| exact IHk]. rewrite plus_order_left. apply times_le, concave.
    - apply concave.
  Qed.

  (* ---- A corner ---------------------------------------------------------------------------------------------------------- *)

  Variable c : V.
  Hypothesis c_positive : le V c (zero V) = false.

  (* A pruning, as a point: leaves and errors. *)
  Notation value x := (plus V (times (snd x) c) (penalty (fst x))).

  Lemma smallest_value (x : nat * nat) R : exists y, In y (x :: R) /\ forall z, In z (x :: R) ->
    le V (value y) (value z) = true /\ (le V (value z) (value y) = true -> fst y <= fst z).
  Proof.
    revert x. induction R as [|x' R IH]; intros x.
    - exists x. split; [now left |]. intros z [<- | []]. auto using le_refl.
    - destruct (IH x') as (y & Hy & H).
      assert (D : (le V (value y) (value x) = false \/ (le V (value x) (value y) = true /\ fst x <= fst y)) \/
        (le V (value y) (value x) = true /\ (le V (value x) (value y) = true -> fst y <= fst x))).
      { destruct (le V (value y) (value x)) eqn:E; [| auto]. destruct (le V (value x) (value y)) eqn:E'.
        - destruct (Nat.le_ge_cases (fst x) (fst y)); auto.
        - right. split; [reflexivity | discriminate]. }
      destruct D as [D | D].
      + exists x. split; [now left |]. intros z [<- | Hz]. { auto using le_refl. }
        destruct (H z Hz) as [H1 H2]. destruct D as [D | [D D']].
        * pose proof (lt_le_trans _ _ _ D H1) as D2. split; [now apply lt_le |]. intros C. congruence.
        * split. { eapply le_transitive; eauto. } intros C. apply Nat.le_trans with (fst y); auto. apply H2.
          eapply le_transitive; eauto.
      + exists y. split; [now right |]. intros z [<- | Hz]; auto.
  Qed.

  Lemma corner (x : nat * nat) R : exists y p q, In y (x :: R) /\ (1 <= p) /\ (1 <= q) /\
    (forall z, In z (x :: R) -> le V (value y) (value z) = true) /\
    (forall z, In z (x :: R) -> (q * snd z + p * fst z <= q * snd y + p * fst y) -> z = y).
  Proof.
    destruct (smallest_value x R) as ([L k] & Hy & H). cbn [fst snd] in H.
    set (low := map (fun z => (k - snd z, fst z - L - 1)) (filter (fun z => L <? fst z) (x :: R))).
    set (high := map (fun z => (snd z - k, L - fst z - 1)) (filter (fun z => fst z <? L) (x :: R))).
    set (D := increment L) in *.
    (* To the left there are more errors, by more than the penalty saves. *)
    assert (LEFT : forall L' k', In (L', k') (x :: R) -> (L' < L) -> le V (times k' c) (plus V (times k c) (times (L - L') D)) = false).
    { intros L' k' Hz C. destruct (H _ Hz) as [_ H2]. cbn [fst snd] in H2.
      assert (E : le V (plus V (times k' c) (penalty L')) (plus V (times k c) (penalty L)) = false).
      { destruct (le V (plus V (times k' c) (penalty L')) (plus V (times k c) (penalty L))) eqn:E; auto. specialize (H2 eq_refl). lia. }
      pose proof (left_of L' (L - L')) as F. replace (L - L' + L') with L in F by lia. fold D in F.
      rewrite <- (plus_order V _ _ (penalty L')), <- plus_associates, (plus_commutes V (times (L - L') D)).
      eapply le_lt_trans; [| exact E]. now rewrite plus_order_left. }
    (* To the right there are fewer, by no more than the penalty costs. *)
    assert (RIGHT : forall L' k', In (L', k') (x :: R) -> (L <= L') -> le V (times k c) (plus V (times k' c) (times (L' - L) D)) = true).
    { intros L' k' Hz C. destruct (H _ Hz) as [H1 _]. cbn [fst snd] in H1.
      pose proof (right_of L (L' - L)) as F. replace (L' - L + L) with L' in F by lia. fold D in F.
      rewrite <- (plus_order V _ _ (penalty L)), <- plus_associates, (plus_commutes V (times (L' - L) D)).
      eapply le_transitive; [exact H1 |]. now rewrite plus_order_left. }
    assert (MORE : forall L' k', In (L', k') (x :: R) -> (L' < L) -> (k < k')).
    { intros L' k' Hz C. apply (times_less _ _ c); auto. eapply le_lt_trans; [| now apply (LEFT L' k')].
      rewrite <- (plus_zero V (times k c)) at 1. rewrite plus_order_left. apply times_positive, growing. }
    destruct (between low high) as (p & q & Hp & Hq & HL & HH).
    { intros u v Hu Hv. apply in_map_iff in Hu as ([L2 k2] & <- & Hu). apply in_map_iff in Hv as ([L1 k1] & <- & Hv).
      apply filter_In in Hu as [Hu C2], Hv as [Hv C1]. cbn [fst snd] in *. apply Nat.ltb_lt in C1, C2.
      pose proof (MORE _ _ Hv C1) as M. replace (S (L2 - L - 1)) with (L2 - L) by lia. replace (S (L - L1 - 1)) with (L - L1) by lia.
      destruct (Nat.le_gt_cases k k2) as [G | G]. { replace (k - k2) with 0 by lia. nia. }
      apply (times_less _ _ c); auto.
      assert (A : le V (times (k - k2) c) (times (L2 - L) D) = true).
      { pose proof (RIGHT _ _ Hu ltac:(lia)) as A. replace k with ((k - k2) + k2) in A by lia.
        rewrite times_add, (plus_commutes V (times (k - k2) c)), plus_order_left in A. exact A. }
      assert (B : le V (times (k1 - k) c) (times (L - L1) D) = false).
      { pose proof (LEFT _ _ Hv C1) as B. replace k1 with ((k1 - k) + k) in B by lia.
        rewrite times_add, (plus_commutes V (times (k1 - k) c)), plus_order_left in B. exact B. }
      rewrite (Nat.mul_comm (k - k2)), (Nat.mul_comm (k1 - k)), !times_mul.
      apply le_lt_trans with (times (L - L1) (times (L2 - L) D)). { now apply times_le. }
      rewrite <- (times_mul (L - L1)), (Nat.mul_comm (L - L1)), (times_mul (L2 - L)). apply times_lt; [lia | exact B]. }
    { intros v Hv. apply in_map_iff in Hv as ([L1 k1] & <- & Hv). apply filter_In in Hv as [Hv C1]. cbn [fst snd] in *.
      apply Nat.ltb_lt in C1. pose proof (MORE _ _ Hv C1). lia. }
    exists (L, k), p, q. repeat split; auto. { intros z Hz. now apply H. }
    intros [L' k'] Hz C. cbn [fst snd] in *. destruct (Nat.lt_trichotomy L' L) as [G | [-> | G]].
    - exfalso. pose proof (MORE _ _ Hz G) as M.
      assert (I : In (k' - k, L - L' - 1) high).
      { unfold high. apply in_map_iff. exists (L', k'). split; auto. apply filter_In. split; auto. now apply Nat.ltb_lt. }
      apply HH in I. cbn [fst snd] in I. replace (S (L - L' - 1)) with (L - L') in I by lia. nia.
    - f_equal. pose proof (RIGHT _ _ Hz (le_n L)) as A. rewrite Nat.sub_diag in A. cbn [times] in A. rewrite plus_zero in A.
      assert (k <= k'); [| nia]. destruct (Nat.le_gt_cases k k') as [|B]; auto. exfalso.
      assert (N : le V (times k c) (times k' c) = false); [| congruence].
      replace k with ((k - k') + k') by lia. rewrite times_add, plus_commutes.
      rewrite <- (plus_zero V (times k' c)) at 2. rewrite plus_order_left.
      replace (k - k') with (S (k - k' - 1)) by lia. cbn [times].
      apply lt_le_trans with c; auto. rewrite <- (plus_zero V c) at 1. rewrite (plus_commutes V c), plus_order.
      apply times_positive. now apply lt_le.
    - exfalso. assert (I : In (k - k', L' - L - 1) low).
      { unfold low. apply in_map_iff. exists (L', k'). split; auto. apply filter_In. split; auto. now apply Nat.ltb_lt. }
      apply HL in I. cbn [fst snd] in I. replace (S (L' - L - 1)) with (L' - L) in I by lia. nia.
  Qed.
End Costs.

Lemma prunings_first T : exists P L, prunings T = P :: L.
Proof. destruct T; cbn; eauto. Qed.

Theorem minimizer_is_cheapest_at_a_price :
  forall (V : ordered_costs) (c : V) (penalty increment : nat -> V) (T : grown_tree),
  le V c (zero V) = false ->
  (forall L, penalty (S L) = plus V (penalty L) (increment L)) ->
  (forall L, le V (zero V) (increment L) = true) ->
  (forall L, le V (increment (S L)) (increment L) = true) ->
  exists p q, 1 <= p /\ 1 <= q /\ (exists P, cheapest p q T P) /\ forall P, cheapest p q T P ->
    forall Q, In Q (prunings T) -> le V (bound c penalty P) (bound c penalty Q) = true.
Proof.
  intros V c f d T Hc Hs Hg Hd. set (point := fun P => (leaves_of P, errors_of P)).
  destruct (prunings_first T) as (P0 & L & E).
  destruct (corner V f d Hs Hg Hd c Hc (point P0) (map point L)) as (y & p & q & Hy & Hp & Hq & HV & HU).
  change (point P0 :: map point L) with (map point (P0 :: L)) in *. rewrite <- E in *.
  exists p, q. split; [exact Hp |]. split; [exact Hq |]. split.
  { apply in_map_iff in Hy as (Y & <- & HY). exists Y. split; auto. intros Q HQ.
    destruct (Nat.le_gt_cases (q * errors_of Y + p * leaves_of Y) (q * errors_of Q + p * leaves_of Q)) as [|C]; auto.
    assert (EQ : point Q = point Y). { apply HU. { now apply in_map. } cbn [point fst snd]. lia. }
    injection EQ as E1 E2. rewrite E1, E2. auto. }
  intros P [HP CP] Q HQ.
  assert (EP : point P = y).
  { apply HU. { now apply in_map. } apply in_map_iff in Hy as (Y & <- & HY). now apply CP. }
  unfold bound. specialize (HV (point Q) (in_map _ _ _ HQ)). rewrite <- EP in HV. exact HV.
Qed.
