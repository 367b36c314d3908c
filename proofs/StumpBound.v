(* Theorem 7 of Leboeuf, LeBlanc and Marchand (2020), the bound, and the upper side of Corollary 8 (chapter "Stumps").

   In words: stumps on l features with values in any linear order realize at most sum_{k=0}^{m} min(2 l, C(m, k))
   labelings of m >= 1 examples with two classes, and at most half of sum_{k=1}^{m-1} min(2 l, C(m, k)) partitions
   into two parts. If they shatter d >= 1 examples, then C(d, floor(d / 2)) <= 2 l. *)

From Coq Require Import List Arith Lia Permutation Bool.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Chains Sets.
Import ListNotations.

Definition stump : structure := node leaf leaf.

(* The examples with label 0, as a set. *)
Definition zero_set (y : list nat) : list bool := map (fun c => c =? 0) y.

Lemma zero_set_length y : length (zero_set y) = length y.
Proof. apply map_length. Qed.

Lemma zero_set_injective y y' : Forall (fun c => c < 2) y -> Forall (fun c => c < 2) y' -> zero_set y = zero_set y' -> y = y'.
Proof.
  intros H. revert y'. induction H as [|c y Hc H IH]; intros [|c' y'] H' E; try discriminate; auto.
  inversion H'; subst. injection E as E1 E2. f_equal; auto.
  destruct (Nat.eqb_spec c 0), (Nat.eqb_spec c' 0); try discriminate; lia.
Qed.

Lemma size_member P m : NoDup P -> (forall x, In x P -> x < m) -> size (map (fun x => member P x) (seq 0 m)) = length P.
Proof.
  intros ND H. assert (E : forall L, size (map (fun x => member P x) L) = length (filter (member P) L)).
  { induction L as [|x L IH]; cbn; auto. destruct (member P x); cbn; now rewrite IH. }
  rewrite E. apply Permutation_length, NoDup_Permutation; auto.
  - apply NoDup_filter, seq_NoDup.
  - intros x. rewrite filter_In, member_spec, in_seq. split; [tauto |]. intros Hx. split; auto. specialize (H x Hx). lia.
Qed.

Section Bound.
  Variable R : linear_order.
  Variable l : nat.
  Variable sample : list (nat -> R).
  Variable default : nat -> R.
  Let m := length sample.
  Let at_ (i : nat) := nth i sample default.
  Let rank (i x : nat) := position R (fun y => at_ y i) m x.

  (* The two zero sets of size k that feature i offers: first k, or last k. *)
  Definition two_labelings (i k : nat) : list (list nat) :=
    [map (fun x => if member (firstn k (order rank i (seq 0 m))) x then 0 else 1) (seq 0 m);
     map (fun x => if member (firstn (m - k) (order rank i (seq 0 m))) x then 1 else 0) (seq 0 m)].

  Lemma stump_labeling y : 1 <= m -> realizes (threshold_test R l) 2 stump sample y ->
    exists i, i < l /\ In y (two_labelings i (size (zero_set y))).
  Proof.
    intros Hm (T & HT & <-).
    assert (H : has_structure (threshold_or_finite_test R (fun x => x) l []) 2 T stump).
    { eapply has_structure_weaken; [| exact HT]. intros q Hq. now left. }
    pose proof (tree_labels (nat -> R) R (fun x => x) 2 l [] sample default T stump (seq 0 m) (incl_refl _) H) as HL.
    fold m at_ rank in HL. change (fun i x : nat => position R (fun y0 : nat => at_ y0 i) m x) with rank in HL.
    assert (EY : map (evaluate T) sample = map (fun x => evaluate T (at_ x)) (seq 0 m)).
    { rewrite <- (map_map at_ (evaluate T)). f_equal. symmetry. apply map_nth_seq. }
    rewrite EY. set (f := fun x => evaluate T (at_ x)) in *.
    destruct HL as (q & [Hq | (p & [] & _)] & HL).
    destruct (cut_order 2 l (le_n 2) rank (seq 0 m) q (seq 0 m) Hq (incl_refl _)) as (i & k & Hi & Hk & H1 & H2).
    rewrite seq_length in Hk. exists i. split; auto.
    assert (HH : constant_on 2 (part q (seq 0 m)) f /\ constant_on 2 (rest q (seq 0 m)) f) by (cbn in HL; tauto).
    destruct HH as ((c & Hc & HP) & (c' & Hc' & HR)).
    set (O := order rank i (seq 0 m)) in *.
    assert (LO : length O = m) by (unfold O; rewrite order_length, seq_length; auto).
    assert (NO : NoDup O) by (apply order_NoDup, seq_NoDup).
    assert (IO : forall x, In x O -> x < m) by (intros x Hx; apply order_in, in_seq in Hx; lia).
    assert (F : forall x, x < m -> f x = if member (firstn k O) x then c else c').
    { intros x Hx. destruct (member (firstn k O) x) eqn:E.
      - apply HP, H1. now apply member_spec.
      - apply HR, H2. assert (In x O) by (apply order_in, in_seq; lia).
        rewrite <- (firstn_skipn k O), in_app_iff in H0. destruct H0 as [H0 | H0]; auto.
        apply member_spec in H0. congruence. }
    assert (SZ : forall k, k <= m -> size (map (fun x => member (firstn k O) x) (seq 0 m)) = k).
    { intros k' Hk'. rewrite size_member.
      - rewrite firstn_length. lia.
      - rewrite <- (firstn_skipn k' O) in NO. now apply NoDup_app_parts in NO.
      - intros x Hx. apply IO. rewrite <- (firstn_skipn k' O), in_app_iff. auto. }
    assert (ALL : forall x, x < m -> member (firstn m O) x = true).
    { intros x Hx. apply member_spec. rewrite firstn_all2 by lia. apply order_in, in_seq. lia. }
    assert (Z : size (zero_set (map f (seq 0 m))) = size (map (fun x => f x =? 0) (seq 0 m))).
    { unfold zero_set. now rewrite map_map. }
    rewrite Z. assert (C : (c = 0 \/ c = 1) /\ (c' = 0 \/ c' = 1)) by lia. destruct C as [[-> | ->] [-> | ->]].
    - left. rewrite (map_ext_in (fun x => f x =? 0) (fun x => member (firstn m O) x)).
      2:{ intros x Hx. apply in_seq in Hx. rewrite F, ALL by lia. now destruct (member (firstn k O) x). }
      rewrite SZ by lia. apply map_ext_in. intros x Hx. apply in_seq in Hx. fold O. rewrite F, ALL by lia.
      now destruct (member (firstn k O) x).
    - left. rewrite (map_ext_in (fun x => f x =? 0) (fun x => member (firstn k O) x)).
      2:{ intros x Hx. apply in_seq in Hx. rewrite F by lia. now destruct (member (firstn k O) x). }
      rewrite SZ by lia. apply map_ext_in. intros x Hx. apply in_seq in Hx. fold O. now rewrite F by lia.
    - right. left. rewrite (map_ext_in (fun x => f x =? 0) (fun x => negb (member (firstn k O) x))).
      2:{ intros x Hx. apply in_seq in Hx. rewrite F by lia. now destruct (member (firstn k O) x). }
      rewrite <- (map_map (fun x => member (firstn k O) x) negb). fold (complement (map (fun x => member (firstn k O) x) (seq 0 m))).
      rewrite complement_size, SZ, map_length, seq_length by lia. replace (m - (m - k)) with k by lia.
      apply map_ext_in. intros x Hx. apply in_seq in Hx. fold O. now rewrite F by lia.
    - left. rewrite (map_ext_in (fun x => f x =? 0) (fun x => member (firstn 0 O) x)).
      2:{ intros x Hx. apply in_seq in Hx. rewrite F by lia. cbn. now destruct (member (firstn k O) x). }
      rewrite SZ by lia. apply map_ext_in. intros x Hx. apply in_seq in Hx. fold O. rewrite F by lia. cbn.
      now destruct (member (firstn k O) x).
  Qed.

  Lemma realized_binary y : realizes (threshold_test R l) 2 stump sample y -> Forall (fun c => c < 2) y /\ length y = m.
  Proof.
    intros (T & HT & <-). rewrite map_length. split; auto. apply Forall_map, Forall_forall. intros x _. clear - HT.
    induction HT; cbn; auto. all: destruct (q x); auto.
  Qed.

  Lemma few_of_size Y k : 1 <= m -> NoDup Y -> (forall y, In y Y -> realizes (threshold_test R l) 2 stump sample y /\ size (zero_set y) = k) ->
    length Y <= Nat.min (2 * l) (binomial m k).
  Proof.
    intros Hm ND HY. apply Nat.min_glb.
    - transitivity (length (flat_map (fun i => two_labelings i k) (seq 0 l))).
      + apply NoDup_incl_length; auto. intros y Hy. destruct (HY y Hy) as [Hr <-].
        destruct (stump_labeling y Hm Hr) as (i & Hi & H). apply in_flat_map. exists i. split; auto. apply in_seq. lia.
      + rewrite (flat_map_length_constant 2), seq_length; [lia | reflexivity].
    - rewrite <- ksets_length, <- (map_length zero_set). apply NoDup_incl_length.
      + apply NoDup_map_injective; auto. intros y y' Hy Hy'. apply zero_set_injective; now apply realized_binary, HY.
      + intros A HA. apply in_map_iff in HA as (y & <- & Hy). apply ksets_spec. rewrite zero_set_length. split; [| now apply HY].
        now apply realized_binary, HY.
  Qed.
End Bound.

Lemma length_by_value {X} (f : X -> nat) L K : (forall x, In x L -> f x < K) ->
  length L = sum K (fun k => length (filter (fun x => f x =? k) L)).
Proof.
  induction L as [|x L IH]; intros H. { cbn. rewrite sum_const. lia. }
  rewrite (sum_ext _ _ (fun k => (if f x =? k then 1 else 0) + length (filter (fun x => f x =? k) L))).
  2:{ intros k _. cbn. destruct (f x =? k); reflexivity. }
  rewrite sum_add, <- IH by (intros; apply H; cbn; auto). cbn [length].
  assert (E : sum K (fun k => if f x =? k then 1 else 0) = 1); [| lia].
  specialize (H x (or_introl eq_refl)). clear - H. revert H. generalize (f x) as v. induction K; intros v H; [lia |]. cbn [sum].
  destruct (Nat.eq_dec v K) as [-> | E].
  - rewrite (sum_ext K _ (fun _ => 0)), sum_const.
    + rewrite Nat.eqb_refl. lia.
    + intros i Hi. destruct (Nat.eqb_spec K i); lia.
  - rewrite IHK by lia. destruct (Nat.eqb_spec v K); lia.
Qed.

(* The growth function of stumps, upper side. *)
Theorem stump_growth_bound :
  forall (R : linear_order) (l m : nat), 1 <= m ->
  growth_at_most (threshold_test R l) 2 stump m (sum (S m) (fun k => Nat.min (2 * l) (binomial m k))).
Proof.
  intros R l m Hm sample Y HL ND H. destruct sample as [|x sample]; [cbn in HL; lia |].
  rewrite (length_by_value (fun y => size (zero_set y)) Y (S m)).
  - apply sum_le. intros k _. rewrite <- HL. apply (few_of_size R l (x :: sample) x); [lia | now apply NoDup_filter |].
    intros y Hy. apply filter_In in Hy as [Hy E]. apply Nat.eqb_eq in E. auto.
  - intros y Hy. destruct (realized_binary R l _ y (H y Hy)) as [_ E]. pose proof (size_le (zero_set y)) as Hs.
    rewrite zero_set_length, E, HL in Hs. lia.
Qed.

Lemma map_fixed {X} (f : X -> X) L x : map f L = L -> In x L -> f x = x.
Proof. induction L as [|y L IH]; intros E H; [destruct H |]. injection E as E1 E2. destruct H as [-> | H]; auto. Qed.

(* The labeling with the labels 0 and 1 exchanged. *)
Definition exchange (y : list nat) : list nat := map (fun c => 1 - c) y.

Lemma exchange_realized {X} (allowed : test X -> Prop) s sample y :
  realizes allowed 2 s sample y -> realizes allowed 2 s sample (exchange y).
Proof.
  intros (T & HT & <-).
  assert (G : exists T', has_structure allowed 2 T' s /\ forall x, evaluate T' x = 1 - evaluate T x).
  { induction HT as [c Hc | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2) | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
    - exists (Leaf (1 - c)). split. { constructor. lia. } { intros x. reflexivity. }
    - exists (Node q T1' T2'). split; [now constructor 2 |]. intros x. cbn [evaluate]. destruct (q x); auto.
    - exists (Node q T1' T2'). split; [now constructor 3 |]. intros x. cbn [evaluate]. destruct (q x); auto. }
  destruct G as (T' & HT' & E). exists T'. split; auto. unfold exchange. rewrite map_map. apply map_ext. auto.
Qed.

Lemma exchange_involutive y : Forall (fun c => c < 2) y -> exchange (exchange y) = y.
Proof.
  intros H. unfold exchange. rewrite map_map. rewrite <- (map_id y) at 2. apply map_ext_in. rewrite Forall_forall in H.
  intros c Hc. specialize (H c Hc). lia.
Qed.

Lemma exchange_same_partition y : Forall (fun c => c < 2) y -> same_partition y (exchange y).
Proof.
  intros H. split. { unfold exchange. now rewrite map_length. }
  intros i j Hi Hj. unfold exchange. rewrite Forall_forall in H.
  rewrite (nth_indep (map _ y) 0 (1 - 0)), (nth_indep (map _ y) 0 (1 - 0)) by (now rewrite map_length).
  rewrite !(map_nth (fun c => 1 - c)). pose proof (H _ (nth_In y 0 Hi)). pose proof (H _ (nth_In y 0 Hj)).
  split; lia.
Qed.

(* Theorem 7, the bound. *)
Theorem stump_partitioning_bound :
  forall (R : linear_order) (l m : nat), 1 <= m ->
  partitioning_at_most (threshold_test R l) stump m (sum (m - 1) (fun k => Nat.min (2 * l) (binomial m (k + 1))) / 2).
Proof.
  intros R l m Hm sample Y HL [HY HP]. apply Nat.div_le_lower_bound; [lia |].
  destruct sample as [|x sample]; [cbn in HL; lia |].
  assert (B : forall y, In y Y -> Forall (fun c => c < 2) y /\ length y = length (x :: sample)) by (intros; eapply realized_binary, HY; auto).
  assert (DIST : forall y y', In y Y -> In y' Y -> same_partition y y' -> y = y').
  { intros y y' Hy Hy' E. clear - HP Hy Hy' E. induction HP as [|z L F HP IH]; [destruct Hy |].
    rewrite Forall_forall in F. destruct Hy as [-> | Hy], Hy' as [-> | Hy']; auto.
    - exfalso. exact (F _ Hy' E).
    - exfalso. apply (F _ Hy). destruct E as [EL E]. split; auto. intros i j Hi Hj. symmetry. apply E; lia. }
  assert (NDY : NoDup Y).
  { clear - HP. induction HP as [|z L F HP IH]; constructor; auto. intros Hz. rewrite Forall_forall in F. apply (F z Hz).
    split; auto. tauto. }
  assert (ND : NoDup (Y ++ map exchange Y)).
  { apply NoDup_app_parts. split; [| split]; auto.
    - apply NoDup_map_injective; auto. intros y y' Hy Hy' E. apply (f_equal exchange) in E.
      rewrite !exchange_involutive in E by (now apply B). auto.
    - intros y Hy Hy'. apply in_map_iff in Hy' as (z & E & Hz).
      assert (z = y). { apply DIST; auto. rewrite <- E. apply exchange_same_partition. now apply B. }
      subst z. destruct (HY y Hy) as (_ & H0 & _).
      pose proof (map_fixed (fun c => 1 - c) y 0 E H0). discriminate. }
  replace (2 * length Y) with (length (Y ++ map exchange Y)) by (rewrite app_length, map_length; lia).
  assert (NC : forall y, In y (Y ++ map exchange Y) -> realizes (threshold_test R l) 2 stump (x :: sample) y /\ In 0 y /\ In 1 y).
  { intros y Hy. apply in_app_iff in Hy as [Hy | Hy]; [now apply HY |]. apply in_map_iff in Hy as (z & <- & Hz).
    destruct (HY z Hz) as (Hr & H0 & H1). split; [now apply exchange_realized |]. unfold exchange. split; apply in_map_iff.
    - exists 1. auto. - exists 0. auto. }
  rewrite (length_by_value (fun y => size (zero_set y) - 1) _ (m - 1)).
  - apply sum_le. intros k Hk. rewrite <- HL. apply (few_of_size R l (x :: sample) x); [lia | now apply NoDup_filter |].
    intros y Hy. apply filter_In in Hy as [Hy E]. apply Nat.eqb_eq in E. destruct (NC y Hy) as (Hr & H0 & _). split; auto.
    assert (1 <= size (zero_set y)); [| lia]. clear - H0. induction y as [|c y IH]; [destruct H0 |]. cbn.
    destruct H0 as [-> | H0]; [cbn; lia | specialize (IH H0); unfold zero_set in *; destruct (c =? 0); lia].
  - intros y Hy. destruct (NC y Hy) as (Hr & H0 & H1). destruct (realized_binary R l _ y Hr) as [_ EL].
    assert (S1 : size (zero_set y) < length y).
    { clear - H1. induction y as [|c y IH]; [destruct H1 |]. cbn. pose proof (size_le (zero_set y)) as Hs. rewrite zero_set_length in Hs.
      unfold zero_set in *. destruct H1 as [-> | H1]; [cbn; lia | specialize (IH H1); unfold zero_set in *; destruct (c =? 0); lia]. }
    assert (S0 : 1 <= size (zero_set y)).
    { clear - H0. induction y as [|c y IH]; [destruct H0 |]. cbn.
      destruct H0 as [-> | H0]; [cbn; lia | specialize (IH H0); unfold zero_set in *; destruct (c =? 0); lia]. }
    rewrite HL in EL. lia.
Qed.

(* Corollary 8, upper side. *)
Theorem stump_VC_upper_bound :
  forall (R : linear_order) (l : nat) (sample : list (nat -> R)), 1 <= length sample ->
  shattered (threshold_test R l) stump sample -> binomial (length sample) (length sample / 2) <= 2 * l.
Proof.
  intros R l sample Hm H. destruct sample as [|x sample]; [cbn in Hm; lia |].
  set (d := length (x :: sample)) in *. rewrite <- ksets_length.
  rewrite <- (map_length (map (fun v : bool => if v then 0 else 1))).
  etransitivity; [apply (few_of_size R l (x :: sample) x _ (d / 2)) | apply Nat.le_min_l]; auto.
  - apply NoDup_map_injective; [apply ksets_NoDup |]. intros A B _ _ E. clear - E. revert B E.
    induction A as [|a A IH]; intros [|b B] E; try discriminate; auto. injection E as E1 E2. f_equal; auto. destruct a, b; auto; discriminate.
  - intros y Hy. apply in_map_iff in Hy as (A & <- & HA). apply ksets_spec in HA as [HL HS]. split.
    + apply H; [rewrite map_length; exact HL |]. apply Forall_map, Forall_forall. intros []; auto.
    + unfold zero_set. rewrite map_map, (map_ext _ (fun v => v)), map_id; auto. intros []; auto.
Qed.
