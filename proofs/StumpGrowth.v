(* The growth function and the VC dimension of stumps, exactly: the conjecture of Leboeuf, LeBlanc and Marchand (2020)
   (chapter "The conjecture is true").

   In words: the growth function of stumps with two classes on l >= 1 features with natural numbers as values is
   sum_{k=0}^{m} min(2 l, C(m, k)) for every m >= 1, and the largest number of partitions into two parts is half of
   sum_{k=1}^{m-1} min(2 l, C(m, k)). If d >= 1 and C(d, floor(d / 2)) <= 2 l, stumps shatter a sample of d examples. *)

From Coq Require Import List Arith Lia Permutation Sorted Bool.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Chains LowerBound Sets StumpBound Levels NestedList Build StumpEquality.
Import ListNotations.

Lemma filter_length_eq {X} (p : X -> bool) L : (forall x, In x L -> p x = true) -> filter p L = L.
Proof. induction L as [|x L IH]; intros H; auto. cbn. rewrite H by (cbn; auto). f_equal. apply IH. intros; apply H; cbn; auto. Qed.

Lemma flat_map_two {X Y} (F : X -> list Y) L : Forall (fun x => length (F x) = 2) L -> length (flat_map F L) = 2 * length L.
Proof. induction 1 as [|x L H HL IH]; auto. cbn [flat_map length]. rewrite app_length. lia. Qed.

Lemma nth_firstn_lt {X} i l (L : list X) d : i < l -> nth i (firstn l L) d = nth i L d.
Proof. revert i l. induction L as [|x L IH]; intros [|i] [|l] H; cbn; auto; try lia. apply IH. lia. Qed.

Section Sample.
  Variables l m : nat.
  Hypothesis l_features : 1 <= l.
  Variable L : list half.
  Hypothesis HV : Forall (valid m) L.

  Let lower (i : nat) := fst (nth i L ([], [])).
  Let upper (i : nat) := snd (nth i L ([], [])).

  (* The value of feature i at example e: lower sets are reached from below, upper sets from above. *)
  Definition value_at (i e : nat) : nat :=
    if height_in (lower i) e <? length (lower i) then height_in (lower i) e
    else length (lower i) + 1 + length (upper i) - height_in (upper i) e.

  Definition examples : list (nat -> natural_numbers) := map (fun e => (fun i => value_at i e) : nat -> natural_numbers) (seq 0 m).

  (* The labeling with label 0 on A. *)
  Definition zeros_at (A : list bool) : list nat := map (fun v : bool => if v then 0 else 1) A.

  Definition realized (A : list bool) : Prop :=
    length A = m /\ realizes (threshold_test natural_numbers l) 2 stump examples (zeros_at A).

  Lemma cut_realized i t (A : list bool) (c c' : nat) : i < l -> c < 2 -> c' < 2 -> length A = m ->
    (forall e, e < m -> (if value_at i e <=? t then c else c') = if nth e A false then 0 else 1) -> realized A.
  Proof.
    intros Hi Hc Hc' HL H. split; auto. exists (Node (fun x : nat -> natural_numbers => x i <=? t) (Leaf c) (Leaf c')). split.
    - constructor; [exists i, t; auto | now constructor | now constructor].
    - unfold examples, zeros_at. rewrite map_map. apply (nth_ext _ _ 0 0); rewrite !map_length, seq_length; auto.
      intros e He. rewrite (map_nth_in_seq (fun e0 => evaluate _ _)) by exact He. cbn [evaluate].
      set (f := fun v : bool => if v then 0 else 1). rewrite (nth_indep (map f A) 0 (f false)) by (rewrite map_length; lia).
      rewrite (map_nth f). exact (H e He).
  Qed.

  Lemma height_le c e : height_in c e <= length c.
  Proof. apply filter_short. Qed.

  Lemma foot_realized i k A : i < l -> i < length L -> In A (feet k (nth i L ([], []))) -> realized A.
  Proof.
    intros Hi HiL HA. rewrite Forall_forall in HV. destruct (HV _ (nth_In L ([], []) HiL)) as (S1 & S2 & LEN & D).
    fold (lower i) in *. fold (upper i) in *. apply filter_In in HA as [HA _].
    assert (OFF : forall e, height_in (lower i) e < length (lower i) -> height_in (upper i) e = length (upper i)).
    { intros e H. unfold height_in at 1. rewrite (filter_length_eq (fun B => negb (nth e B false)) (upper i)); auto.
      intros B HB. apply negb_true_iff.
      assert (X : nth e (nth (height_in (lower i) e) (lower i) []) false = true).
      { rewrite (height_in_spec (lower i) e _ S1 H). now apply Nat.leb_refl. }
      exact (D _ B (nth_In _ _ H) HB e X). }
    apply in_app_iff in HA as [HA | HA].
    - assert (LA : length A = m) by (apply LEN; auto). apply (In_nth _ _ []) in HA as (t & Ht & EA).
      change (nth t (lower i) [] = A) in EA. change (t < length (lower i)) in Ht. apply (cut_realized i t A 0 1); auto. intros e He. rewrite <- EA, (height_in_spec (lower i) e t S1 Ht).
      replace (value_at i e <=? t) with (height_in (lower i) e <=? t); [destruct (height_in (lower i) e <=? t); reflexivity |].
      unfold value_at. pose proof (height_le (lower i) e). pose proof (height_le (upper i) e).
      destruct (Nat.ltb_spec (height_in (lower i) e) (length (lower i))); auto.
      destruct (Nat.leb_spec (height_in (lower i) e) t), (Nat.leb_spec (length (lower i) + 1 + length (upper i) - height_in (upper i) e) t); auto; lia.
    - assert (LA : length A = m) by (apply LEN; auto). apply (In_nth _ _ []) in HA as (t & Ht & EA).
      change (nth t (upper i) [] = A) in EA. change (t < length (upper i)) in Ht.
      apply (cut_realized i (length (lower i) + length (upper i) - t) A 1 0); auto. intros e He.
      rewrite <- EA, (height_in_spec (upper i) e t S2 Ht).
      pose proof (height_le (lower i) e). pose proof (height_le (upper i) e). pose proof (OFF e) as OFFe. unfold value_at.
      destruct (Nat.ltb_spec (height_in (lower i) e) (length (lower i))) as [H1 | H1].
      + specialize (OFFe H1). destruct (Nat.leb_spec (height_in (upper i) e) t), (Nat.leb_spec (height_in (lower i) e) (length (lower i) + length (upper i) - t)); auto; lia.
      + destruct (Nat.leb_spec (height_in (upper i) e) t), (Nat.leb_spec (length (lower i) + 1 + length (upper i) - height_in (upper i) e) (length (lower i) + length (upper i) - t)); auto; lia.
  Qed.

  Lemma complement_realized A : realized A -> realized (complement A).
  Proof.
    intros [HL HR]. split; [now rewrite complement_length |]. apply exchange_realized in HR.
    replace (zeros_at (complement A)) with (exchange (zeros_at A)); auto.
    unfold exchange, zeros_at, complement. rewrite !map_map. apply map_ext. intros []; reflexivity.
  Qed.

  Lemma full_realized : realized (repeat true m).
  Proof.
    apply (cut_realized 0 0 _ 0 0); auto. { apply repeat_length. } intros e He.
    rewrite (nth_indep _ false true) by (now rewrite repeat_length). rewrite nth_repeat. now destruct (value_at 0 e <=? 0).
  Qed.

  (* The first l features of the list have enough sets of each size up to the middle. *)
  Lemma enough_feet k : good m k L -> exists F, NoDup F /\ length F = Nat.min (2 * l) (binomial m k) /\
    forall A, In A F -> size A = k /\ realized A.
  Proof.
    intros (L1 & q & L2 & extra & EL & Hq & HE & HI & HP & H2).
    pose proof (Permutation_length HP) as C. rewrite app_length, ksets_length, (flat_map_two _ L1 H2) in C.
    assert (SZ : forall A, In A (flat_map (feet k) L1 ++ extra) -> size A = k).
    { intros A HA. now apply (Permutation_in A HP), ksets_spec in HA. }
    assert (ND : NoDup (flat_map (feet k) L1 ++ extra)) by (eapply Permutation_NoDup; [symmetry; exact HP | apply ksets_NoDup]).
    assert (RE : forall A, In A (flat_map (feet k) (firstn l L)) -> realized A).
    { intros A HA. apply in_flat_map in HA as (x & Hx & HA). apply (In_nth _ _ ([], [])) in Hx as (i & Hi & Ex).
      rewrite firstn_length in Hi. rewrite nth_firstn_lt in Ex by lia. rewrite <- Ex in HA. apply (foot_realized i k A); auto; lia. }
    destruct (le_lt_dec l (length L1)) as [Hl | Hl].
    - exists (flat_map (feet k) (firstn l L1)). split; [| split].
      + rewrite <- (firstn_skipn l L1), flat_map_app, <- app_assoc in ND. now apply NoDup_app_parts in ND.
      + rewrite flat_map_two; [rewrite firstn_length; lia |]. rewrite <- (firstn_skipn l L1) in H2. now apply Forall_app in H2.
      + intros A HA. split.
        * apply SZ, in_app_iff. left. rewrite <- (firstn_skipn l L1), flat_map_app, in_app_iff. auto.
        * apply RE. rewrite EL, firstn_app, flat_map_app, in_app_iff. auto.
    - exists (flat_map (feet k) L1 ++ extra). split; auto. split.
      + rewrite app_length, (flat_map_two _ L1 H2). lia.
      + intros A HA. split; auto. apply RE. rewrite EL, app_assoc, firstn_app, flat_map_app, in_app_iff. left.
        rewrite firstn_all2 by (rewrite app_length; lia). rewrite flat_map_app, !in_app_iff in *. destruct HA as [HA | HA]; auto.
  Qed.

  Lemma enough k : (forall k, 1 <= k <= m / 2 -> good m k L) -> k <= m -> exists F, NoDup F /\ length F = Nat.min (2 * l) (binomial m k) /\
    forall A, In A F -> size A = k /\ realized A.
  Proof.
    intros G Hk.
    assert (LOW : forall k, k <= m / 2 -> exists F, NoDup F /\ length F = Nat.min (2 * l) (binomial m k) /\ forall A, In A F -> size A = k /\ realized A).
    { intros k' Hk'. destruct (Nat.eq_dec k' 0) as [-> |]; [| apply enough_feet, G; lia].
      exists [complement (repeat true m)]. split; [repeat constructor; auto |]. split.
      - rewrite binomial_0. cbn [length]. lia.
      - intros A [<- | []]. split; [| apply complement_realized, full_realized].
        rewrite complement_size, repeat_length. assert (E : size (repeat true m) = m); [| lia]. clear. induction m; cbn; auto. }
    destruct (le_lt_dec k (m / 2)); auto. pose proof (half_bounds m).
    destruct (LOW (m - k)) as (F & ND & HL & HF); [lia |]. exists (map complement F). split; [| split].
    - apply NoDup_map_injective; auto. intros A B _ _ E. rewrite <- (complement_involutive A), E. apply complement_involutive.
    - now rewrite map_length, HL, binomial_symmetric.
    - intros A HA. apply in_map_iff in HA as (B & <- & HB). destruct (HF B HB) as [SB [LB RB]]. split.
      + rewrite complement_size. lia. + apply complement_realized. split; auto.
  Qed.

  Lemma all_sizes K : (forall k, 1 <= k <= m / 2 -> good m k L) -> K <= S m ->
    exists F, NoDup F /\ length F = sum K (fun k => Nat.min (2 * l) (binomial m k)) /\ forall A, In A F -> size A < K /\ realized A.
  Proof.
    intros G. induction K; intros HK. { exists []. repeat split; try constructor; destruct H. }
    destruct IHK as (F & ND & HL & HF); [lia |]. destruct (enough K G) as (F' & ND' & HL' & HF'); [lia |].
    exists (F ++ F'). split; [| split].
    - apply NoDup_app_parts. repeat split; auto. intros A HA HA'. apply HF in HA as [HA _]. apply HF' in HA' as [HA' _]. lia.
    - rewrite app_length, HL, HL'. reflexivity.
    - intros A HA. apply in_app_iff in HA as [HA | HA]; [apply HF in HA as [HA R] | apply HF' in HA as [HA R]]; split; auto; lia.
  Qed.

  Lemma sample_labelings : (forall k, 1 <= k <= m / 2 -> good m k L) ->
    growth_at_least (threshold_test natural_numbers l) 2 stump m (sum (S m) (fun k => Nat.min (2 * l) (binomial m k))).
  Proof.
    intros G. destruct (all_sizes (S m) G (le_n _)) as (F & ND & HL & HF).
    exists examples, (map zeros_at F). split; [| split; [| split]].
    - unfold examples. now rewrite map_length, seq_length.
    - apply NoDup_map_injective; auto. intros A B _ _ E. unfold zeros_at in E. clear - E. revert B E.
      induction A as [|a A IH]; intros [|b B] E; try discriminate; auto. injection E as E1 E2. f_equal; auto. destruct a, b; auto; discriminate.
    - intros y Hy. apply in_map_iff in Hy as (A & <- & HA). now apply HF.
    - now rewrite map_length.
  Qed.
End Sample.

(* The growth function of stumps. *)
Theorem stump_growth_function :
  forall l m : nat, 1 <= l -> 1 <= m ->
  growth_is (threshold_test natural_numbers l) 2 stump m (sum (S m) (fun k => Nat.min (2 * l) (binomial m k))).
Proof.
  intros l m Hl Hm. split; [now apply stump_growth_bound |].
  destruct (le_lt_dec 2 m) as [H2 | H2].
  - destruct (nested_list m H2) as (L & V & G). exact (sample_labelings l m Hl L V G).
  - apply (sample_labelings l m Hl []); [constructor |]. intros k Hk. assert (E : m = 1) by lia. subst m. cbn in Hk. lia.
Qed.

(* Corollary 8, lower side. *)
Theorem stump_VC_lower_bound :
  forall l d : nat, 1 <= d -> binomial d (d / 2) <= 2 * l -> VC_dimension_at_least (threshold_test natural_numbers l) stump d.
Proof.
  intros l d Hd H.
  assert (Hl : 1 <= l). { pose proof (binomial_positive d (d / 2)). pose proof (half_bounds d). lia. }
  destruct (stump_growth_function l d Hl Hd) as [_ (sample & Y & HL & ND & HR & HK)].
  exists sample. split; auto. intros y Hy Hc. apply HR.
  assert (I : incl (all_labelings 2 d) Y).
  { apply NoDup_length_incl; auto.
    - rewrite all_labelings_length, HK, (sum_ext _ _ (binomial d)), sum_binomial; [lia |].
      intros k _. pose proof (binomial_central d k). lia.
    - intros z Hz. apply all_labelings_spec. destruct (realized_binary natural_numbers l sample z (HR z Hz)) as [B1 B2]. split; auto. congruence. }
  apply I, all_labelings_spec. split; auto. congruence.
Qed.

Lemma ordered_pairs {X} (P : X -> X -> Prop) L : NoDup L -> (forall x y, In x L -> In y L -> x <> y -> P x y) -> ForallOrdPairs P L.
Proof.
  induction L as [|x L IH]; intros ND H; constructor; apply NoDup_cons_iff in ND as [Hx ND].
  - apply Forall_forall. intros y Hy. apply H; cbn; auto. intros ->. contradiction.
  - apply IH; auto. intros; apply H; cbn; auto.
Qed.

Lemma binary_same_partition y y' : Forall (fun c => c < 2) y -> Forall (fun c => c < 2) y' -> hd 0 y = 0 -> hd 0 y' = 0 ->
  same_partition y y' -> y = y'.
Proof.
  intros B B' H H' [L E]. apply (nth_ext y y' 0 0); auto. intros i Hi. rewrite Forall_forall in B, B'.
  pose proof (B _ (nth_In y 0 Hi)). pose proof (B' _ (nth_In y' 0 (eq_ind _ (fun n => i < n) Hi _ L))).
  assert (L0 : 0 < length y) by lia. specialize (E i 0 Hi L0).
  assert (Z : nth 0 y 0 = 0) by (destruct y; auto). assert (Z' : nth 0 y' 0 = 0) by (destruct y'; auto).
  rewrite Z, Z' in E. destruct E as [E1 E2]. destruct (nth i y 0) as [|[|]], (nth i y' 0) as [|[|]]; auto; try lia.
Qed.

(* Theorem 7 as an equality, for partitions. *)
Theorem stump_partitioning_function :
  forall l m : nat, 1 <= l -> 1 <= m ->
  partitioning_at_most (threshold_test natural_numbers l) stump m (sum (m - 1) (fun k => Nat.min (2 * l) (binomial m (k + 1))) / 2) /\
  partitioning_at_least (threshold_test natural_numbers l) stump m (sum (m - 1) (fun k => Nat.min (2 * l) (binomial m (k + 1))) / 2).
Proof.
  intros l m Hl Hm. split; [now apply stump_partitioning_bound |].
  destruct (stump_growth_function l m Hl Hm) as [UP (sample & Y & HL & ND & HR & HK)].
  assert (BIN : forall y, In y Y -> Forall (fun c => c < 2) y /\ length y = m).
  { intros y Hy. destruct (realized_binary natural_numbers l sample y (HR y Hy)). split; auto. congruence. }
  assert (CL : forall y, In y Y -> In (exchange y) Y).
  { intros y Hy. destruct (in_dec (list_eq_dec Nat.eq_dec) (exchange y) Y) as [| N]; auto. exfalso.
    assert (B : length (exchange y :: Y) <= length Y); [rewrite HK; apply (UP sample); auto | cbn in B; lia].
    - constructor; auto.
    - intros z [<- | Hz]; auto. apply exchange_realized. auto. }
  set (A := filter (fun y => hd 0 y =? 0) Y). set (B := filter (fun y => negb (hd 0 y =? 0)) Y).
  assert (AB : length Y = length A + length B).
  { unfold A, B. clear. induction Y as [|y Y IH]; auto. cbn. destruct (hd 0 y =? 0); cbn; lia. }
  assert (BA : length B <= length A).
  { rewrite <- (map_length exchange B). apply NoDup_incl_length.
    - apply NoDup_map_injective; [apply NoDup_filter; auto |]. intros y z Hy Hz E. apply filter_In in Hy as [Hy _], Hz as [Hz _].
      rewrite <- (exchange_involutive y), E by now apply BIN. now apply exchange_involutive, BIN.
    - intros y Hy. apply in_map_iff in Hy as (z & <- & Hz). apply filter_In in Hz as [Hz E]. apply filter_In. split; auto.
      destruct z as [|c z]; [discriminate |]. cbn in *. destruct c; [discriminate | reflexivity]. }
  set (C := filter (fun y => existsb (Nat.eqb 1) y) A).
  assert (AC : length A <= length C + 1).
  { assert (I : incl A (repeat 0 m :: C)).
    { intros y Hy. destruct (existsb (Nat.eqb 1) y) eqn:E; [right; apply filter_In; auto |]. left.
      apply filter_In in Hy as [Hy _]. destruct (BIN y Hy) as [F L]. rewrite <- L. clear - F E.
      induction F as [|c y Hc F IH]; auto. cbn [existsb length repeat] in *. apply orb_false_iff in E as [E1 E2]. apply Nat.eqb_neq in E1. f_equal; [lia | auto]. }
    apply NoDup_incl_length in I; [cbn in I; lia | now apply NoDup_filter]. }
  set (K := sum (m - 1) (fun k => Nat.min (2 * l) (binomial m (k + 1))) / 2).
  assert (KC : K <= length C).
  { assert (SUM : length Y = sum (m - 1) (fun k => Nat.min (2 * l) (binomial m (k + 1))) + 2).
    { rewrite HK, sum_first, binomial_0. replace m with (S (m - 1)) at 1 by lia. cbn [sum].
      replace (S (m - 1)) with m by lia. rewrite binomial_diagonal.
      rewrite (sum_ext _ (fun i => Nat.min (2 * l) (binomial m (S i))) (fun k => Nat.min (2 * l) (binomial m (k + 1)))) by (intros; now rewrite Nat.add_1_r). lia. }
    apply Nat.div_le_upper_bound; lia. }
  exists sample, (firstn K C). split; [auto | split; [split |]].
  - intros y Hy. assert (Hy' : In y C) by (rewrite <- (firstn_skipn K C), in_app_iff; auto).
    apply filter_In in Hy' as [Hy' E]. apply filter_In in Hy' as [Hy' E']. split; auto. split.
    + destruct y as [|c y]; [discriminate |]. cbn in E'. apply Nat.eqb_eq in E'. cbn. auto.
    + apply existsb_exists in E as (c & Hc & E). apply Nat.eqb_eq in E. now subst.
  - assert (NC : NoDup C) by (apply NoDup_filter, NoDup_filter; auto).
    apply ordered_pairs. { rewrite <- (firstn_skipn K C) in NC. now apply NoDup_app_parts in NC. }
    intros y z Hy Hz NE S. apply NE.
    assert (G : forall x, In x (firstn K C) -> In x Y /\ hd 0 x = 0).
    { intros x Hx. assert (Hx' : In x C) by (rewrite <- (firstn_skipn K C), in_app_iff; auto).
      apply filter_In in Hx' as [Hx' _]. apply filter_In in Hx' as [Hx' E]. apply Nat.eqb_eq in E. auto. }
    apply binary_same_partition; auto; try apply G; auto; now apply BIN, G.
  - rewrite firstn_length. lia.
Qed.
