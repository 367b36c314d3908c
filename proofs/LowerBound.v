(* Lower bounds for every structure (chapters "More on growth functions", "What is the VC dimension of a decision
   tree?").

   In words: put M examples into each of N groups, and one example below them all. Decision trees with N internal
   nodes on l >= 1 features with natural numbers as values realize at least n (1 + (n - 1) (P - 1))^N labelings of
   this sample with n classes, where P = sum_{k=0}^{M} min(l, C(M, k)). If C(g, floor(g / 2)) <= l, the VC dimension
   of every structure with N internal nodes is at least 1 + N g. *)

From Coq Require Import List Arith Lia Permutation.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Chains.
Import ListNotations.

Section Construction.
  Variables n l M W : nat.
  Variable values : nat -> nat -> nat.
  Variable sets : list (list bool).
  Hypothesis l_features : 1 <= l.
  Hypothesis HM : cuts_off l M W values sets.

  Lemma W_positive : 1 <= W.
  Proof. destruct HM as (_ & H & _). specialize (H 0 0). lia. Qed.

  (* Example e of group j: below all of group j + 1 in every feature. *)
  Definition member_of (j e : nat) : nat -> natural_numbers := fun i => 1 + j * W + values i e.

  (* A step: the set of a group that has the label of the leaf before, and the label of the leaf after. *)
  Definition step : Type := (list bool * nat)%type.

  Definition full : list bool := repeat true M.

  Definition possible (st : step) : Prop := (In (fst st) sets \/ fst st = full) /\ snd st < n.

  Fixpoint last_label (c : nat) (steps : list step) : nat :=
    match steps with [] => c | (_, c') :: rest => last_label c' rest end.

  Fixpoint label_at (c : nat) (steps : list step) (k e : nat) : nat :=
    match steps, k with
    | [], _ => c
    | (A, c') :: _, 0 => if nth e A false then c else c'
    | (_, c') :: rest, S k' => label_at c' rest k' e
    end.

  Lemma label_at_before c s1 s2 k e : k < length s1 -> label_at c (s1 ++ s2) k e = label_at c s1 k e.
  Proof. revert c k. induction s1 as [|[A c'] s1 IH]; intros c [|k] H; cbn in *; try lia; auto. apply IH. lia. Qed.

  Lemma label_at_after c s1 s2 k e : label_at c (s1 ++ s2) (length s1 + k) e = label_at (last_label c s1) s2 k e.
  Proof. revert c. induction s1 as [|[A c'] s1 IH]; intros c; cbn; auto. Qed.

  Lemma last_label_app c s1 s2 : last_label c (s1 ++ s2) = last_label (last_label c s1) s2.
  Proof. revert c. induction s1 as [|[A c'] s1 IH]; intros c; cbn; auto. Qed.

  Lemma last_label_bounded c steps : c < n -> Forall possible steps -> last_label c steps < n.
  Proof.
    intros H F. revert c H. induction F as [|[A c'] steps HA F IH]; intros c H; cbn; auto. apply IH. apply HA.
  Qed.

  Lemma cut_of A : In A sets \/ A = full ->
    exists i t, i < l /\ t < W /\ forall e, e < M -> nth e A false = (values i e <=? t).
  Proof.
    destruct HM as (_ & HW & HS). intros [H | ->]. { apply HS. exact H. }
    exists 0, (W - 1). pose proof W_positive. repeat split; try lia.
    intros e He. specialize (HW 0 e). unfold full. rewrite (nth_indep _ false true), nth_repeat by (rewrite repeat_length; lia).
    symmetry. apply Nat.leb_le. lia.
  Qed.

  (* The tree for given steps: node t_j cuts inside group j, whatever the shape. *)
  Lemma tree_for_steps s : forall steps j c, length steps = internal_nodes s -> c < n -> Forall possible steps ->
    exists T, has_structure (threshold_test natural_numbers l) n T s /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= j * W) -> evaluate T x = c) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> (j + length steps) * W < x i) -> evaluate T x = last_label c steps) /\
      (forall k e, k < length steps -> e < M -> evaluate T (member_of (j + k) e) = label_at c steps k e).
  Proof.
    pose proof W_positive as HW. pose proof (proj1 (proj2 HM)) as HV.
    induction s as [|a IHa b IHb]; intros steps j c HL Hc F.
    { destruct steps; [| discriminate]. exists (Leaf c). split; [now constructor |]. split; [auto | split; [auto |]]. cbn. intros; lia. }
    cbn in HL.
    assert (E : exists s1 st s2, steps = s1 ++ st :: s2 /\ length s1 = internal_nodes a /\ length s2 = internal_nodes b).
    { exists (firstn (internal_nodes a) steps). pose proof (firstn_skipn (internal_nodes a) steps) as ES.
      destruct (skipn (internal_nodes a) steps) as [|st s2] eqn:EK.
      - pose proof (skipn_length (internal_nodes a) steps) as H. rewrite EK in H. cbn in H. lia.
      - exists st, s2. pose proof (skipn_length (internal_nodes a) steps) as H. rewrite EK in H. cbn in H.
        rewrite firstn_length. split; [auto | lia]. }
    destruct E as (s1 & [A c'] & s2 & -> & L1 & L2).
    apply Forall_app in F as [F1 F]. inversion F as [|? ? HA F2]; subst. destruct HA as [HA Hc']. cbn [fst snd] in HA, Hc'.
    destruct (IHa s1 j c L1 Hc F1) as (T1 & S1 & Lo1 & Hi1 & Mid1).
    destruct (IHb s2 (j + length s1 + 1) c' L2 Hc' F2) as (T2 & S2 & Lo2 & Hi2 & Mid2).
    destruct (cut_of A HA) as (i & t & Hi & Ht & Hcut).
    set (threshold := 1 + (j + length s1) * W + t).
    exists (Node (fun x : nat -> natural_numbers => x i <=? threshold) T1 T2). rewrite app_length. cbn [length].
    split; [| split; [| split]].
    - constructor; auto. exists i, threshold. auto.
    - intros x Hx. cbn [evaluate]. destruct (Nat.leb_spec (x i) threshold) as [H | H]; [now apply Lo1 |].
      specialize (Hx i Hi). unfold threshold in H. nia.
    - intros x Hx. cbn [evaluate]. destruct (Nat.leb_spec (x i) threshold) as [H | H].
      + specialize (Hx i Hi). unfold threshold in H. nia.
      + rewrite Hi2; [now rewrite last_label_app |]. intros i' Hi'. specialize (Hx i' Hi'). nia.
    - intros k e Hk He. cbn [evaluate]. unfold member_of at 1.
      pose proof (HV i e) as HVi.
      destruct (lt_eq_lt_dec k (length s1)) as [[C | C] | C].
      + destruct (Nat.leb_spec (1 + (j + k) * W + values i e) threshold) as [H | H].
        * rewrite Mid1 by auto. now rewrite label_at_before.
        * unfold threshold in H. nia.
      + subst k. rewrite <- (Nat.add_0_r (length s1)) at 4. rewrite label_at_after. cbn [label_at]. rewrite (Hcut e He).
        replace (1 + (j + length s1) * W + values i e <=? threshold) with (values i e <=? t).
        2:{ unfold threshold. destruct (Nat.leb_spec (values i e) t), (Nat.leb_spec (1 + (j + length s1) * W + values i e) (1 + (j + length s1) * W + t)); auto; lia. }
        destruct (values i e <=? t).
        * apply Hi1. intros i' _. unfold member_of. cbn. lia.
        * apply Lo2. intros i' _. unfold member_of. specialize (HV i' e). cbn. nia.
      + destruct (Nat.leb_spec (1 + (j + k) * W + values i e) threshold) as [H | H].
        * unfold threshold in H. nia.
        * replace (j + k) with (j + length s1 + 1 + (k - length s1 - 1)) by lia.
          rewrite Mid2 by lia. replace k with (length s1 + S (k - length s1 - 1)) at 2 by lia.
          rewrite label_at_after. reflexivity.
  Qed.

  (* ---- The sample and its labelings ------------------------------------------------------------------------------ *)

  Fixpoint groups (j N : nat) : list (nat -> natural_numbers) :=
    match N with 0 => [] | S N' => map (member_of j) (seq 0 M) ++ groups (S j) N' end.

  Definition block (c : nat) (st : step) : list nat := map (fun e => if nth e (fst st) false then c else snd st) (seq 0 M).

  Fixpoint labeling (c : nat) (steps : list step) : list nat :=
    match steps with [] => [] | st :: rest => block c st ++ labeling (snd st) rest end.

  Lemma groups_length j N : length (groups j N) = N * M.
  Proof. revert j. induction N; intros; cbn; auto. now rewrite app_length, map_length, seq_length, IHN. Qed.

  Lemma labels_of_groups (f : (nat -> natural_numbers) -> nat) steps : forall j c,
    (forall k e, k < length steps -> e < M -> f (member_of (j + k) e) = label_at c steps k e) ->
    map f (groups j (length steps)) = labeling c steps.
  Proof.
    induction steps as [|[A c'] steps IH]; intros j c H; auto. cbn [length groups labeling]. rewrite map_app. f_equal.
    - unfold block. rewrite map_map. apply map_ext_in. intros e He. apply in_seq in He.
      specialize (H 0 e). rewrite Nat.add_0_r in H. cbn in *. apply H; lia.
    - apply IH. intros k e Hk He. specialize (H (S k) e). rewrite Nat.add_succ_r in H. cbn in *. apply H; lia.
  Qed.

  Definition origin : nat -> natural_numbers := fun _ => 0.

  Definition sample (N padding : nat) : list (nat -> natural_numbers) := origin :: groups 0 N ++ repeat origin padding.

  Definition whole_labeling (padding c : nat) (steps : list step) : list nat := c :: labeling c steps ++ repeat c padding.

  Lemma whole_labeling_realized s steps padding c : length steps = internal_nodes s -> c < n -> Forall possible steps ->
    realizes (threshold_test natural_numbers l) n s (sample (internal_nodes s) padding) (whole_labeling padding c steps).
  Proof.
    intros HL Hc F. destruct (tree_for_steps s steps 0 c HL Hc F) as (T & HT & Lo & _ & Mid).
    assert (E0 : evaluate T origin = c) by (apply Lo; intros; apply Nat.le_0_l).
    exists T. split; auto. unfold sample, whole_labeling. cbn [map]. f_equal; [exact E0 |]. rewrite map_app, <- HL. f_equal.
    - now apply labels_of_groups.
    - clear - E0. induction padding; cbn [repeat map]; auto. f_equal; [exact E0 | exact IHpadding].
  Qed.

  (* All choices of steps, given the label of the first leaf: cut at the upper end and keep the label, or cut off another
     set and change the label. *)
  Definition proper_sets : list (list bool) := filter (fun A => negb (forallb (fun x => x) A)) sets.

  Definition choices (c : nat) : list step := (full, c) :: flat_map (fun A => map (pair A) (others n c)) proper_sets.

  Fixpoint all_steps (N c : nat) : list (list step) :=
    match N with 0 => [[]] | S N' => flat_map (fun st => map (cons st) (all_steps N' (snd st))) (choices c) end.

  Lemma others_not v c : In c (others n v) -> c <> v.
  Proof.
    unfold others. rewrite in_map_iff. intros (x & <- & _). destruct (Nat.ltb_spec x v); lia.
  Qed.

  Lemma others_bounded v c : v < n -> In c (others n v) -> c < n.
  Proof.
    unfold others. rewrite in_map_iff. intros Hv (x & <- & Hx). apply in_seq in Hx. destruct (Nat.ltb_spec x v); lia.
  Qed.

  Lemma others_NoDup v : NoDup (others n v).
  Proof.
    apply NoDup_map_injective; [apply seq_NoDup |]. intros x y _ _.
    destruct (Nat.ltb_spec x v), (Nat.ltb_spec y v); lia.
  Qed.

  Lemma proper_sets_spec A : In A proper_sets -> In A sets /\ length A = M /\ exists e, e < M /\ nth e A false = false.
  Proof.
    unfold proper_sets. rewrite filter_In. intros [H HA]. split; auto.
    assert (HL : length A = M) by (apply HM; exact H). split; auto. rewrite <- HL. clear - HA.
    induction A as [|[|] A IH]; cbn in HA; [discriminate | |].
    - destruct (IH HA) as (e & He & E). exists (S e). cbn. split; [lia | auto].
    - exists 0. cbn. split; [lia | auto].
  Qed.

  Lemma choices_possible c st : c < n -> In st (choices c) -> possible st /\ length (fst st) = M.
  Proof.
    intros Hc [<- | H].
    - split; [split; cbn; auto |]. cbn. apply repeat_length.
    - apply in_flat_map in H as (A & HA & H). apply in_map_iff in H as (c' & <- & H').
      apply proper_sets_spec in HA as (HA & HL & _). split; auto. split; cbn; auto. now apply (others_bounded c).
  Qed.

  Lemma choices_cases c st : In st (choices c) ->
    (st = (full, c)) \/ (In (fst st) proper_sets /\ snd st <> c /\ In (snd st) (others n c)).
  Proof.
    intros [<- | H]; auto. right. apply in_flat_map in H as (A & HA & H). apply in_map_iff in H as (c' & <- & H').
    cbn. repeat split; auto. now apply others_not.
  Qed.

  Lemma choices_NoDup c : NoDup (choices c).
  Proof.
    constructor.
    - intros H. apply in_flat_map in H as (A & HA & H). apply in_map_iff in H as (c' & E & H'). apply others_not in H'. congruence.
    - apply NoDup_flat_map.
      + apply NoDup_filter. apply HM.
      + intros A _. apply NoDup_map_injective; [apply others_NoDup |]. intros; congruence.
      + intros A B st _ _ H H'. apply in_map_iff in H as (? & <- & _), H' as (? & E & _). congruence.
  Qed.

  Lemma choices_length c : length (choices c) = 1 + length proper_sets * (n - 1).
  Proof.
    unfold choices. cbn [length]. cbn [Nat.add]. f_equal. apply flat_map_length_constant. intros. now rewrite map_length, others_length.
  Qed.

  Lemma proper_sets_length : length sets <= 1 + length proper_sets.
  Proof.
    assert (H : incl sets (full :: proper_sets)).
    { intros A HA. destruct (forallb (fun x => x) A) eqn:E.
      - left. assert (HL : length A = M) by (apply HM; exact HA). unfold full. rewrite <- HL. clear - E.
        induction A as [|[|] A IH]; cbn in *; auto; [f_equal; auto | discriminate].
      - right. apply filter_In. now rewrite E. }
    apply NoDup_incl_length in H; [exact H | apply HM].
  Qed.

  Lemma all_steps_spec N c steps : c < n -> In steps (all_steps N c) -> length steps = N /\ Forall possible steps.
  Proof.
    revert c steps. induction N; intros c steps Hc; cbn [all_steps]. { intros [<- | []]. auto. }
    rewrite in_flat_map. intros (st & Hst & H). apply in_map_iff in H as (rest & <- & H).
    destruct (choices_possible c st Hc Hst) as [HP _]. destruct (IHN (snd st) rest (proj2 HP) H) as [? ?].
    cbn. split; auto.
  Qed.

  Lemma all_steps_length N c : length (all_steps N c) = (1 + length proper_sets * (n - 1)) ^ N.
  Proof.
    revert c. induction N; intros c; auto. cbn [all_steps].
    rewrite (flat_map_length_constant ((1 + length proper_sets * (n - 1)) ^ N)).
    - rewrite choices_length. reflexivity.
    - intros. now rewrite map_length.
  Qed.

  Lemma all_steps_NoDup N c : NoDup (all_steps N c).
  Proof.
    revert c. induction N; intros c; cbn [all_steps]. { repeat constructor. auto. }
    apply NoDup_flat_map; [apply choices_NoDup | |].
    - intros. apply NoDup_map_injective; auto. congruence.
    - intros st st' y _ _ H H'. apply in_map_iff in H as (? & <- & _), H' as (? & E & _). congruence.
  Qed.

  Lemma full_true e : e < M -> nth e full false = true.
  Proof. intros. unfold full. rewrite (nth_indep _ false true), nth_repeat; auto. now rewrite repeat_length. Qed.

  (* The labels of a group determine the step: the set that has the label of the leaf before, and the other label. *)
  Lemma block_injective c st st' : c < n -> In st (choices c) -> In st' (choices c) -> block c st = block c st' -> st = st'.
  Proof.
    intros Hc H H' E.
    assert (EE : forall e, e < M -> (if nth e (fst st) false then c else snd st) = (if nth e (fst st') false then c else snd st')).
    { intros e He. apply (f_equal (fun L => nth e L 0)) in E. unfold block in E.
      rewrite !(map_nth_in_seq) in E by exact He. exact E. }
    pose proof (proj2 (choices_possible c st Hc H)) as HL. pose proof (proj2 (choices_possible c st' Hc H')) as HL'.
    apply choices_cases in H, H'. destruct st as [A d], st' as [A' d']. cbn [fst snd] in *.
    assert (EA : forall A A', length A = M -> length A' = M -> (forall e, e < M -> nth e A false = nth e A' false) -> A = A').
    { clear. intros A A' H H' HE. apply (nth_ext A A' false false); [congruence |]. intros e He. apply HE. congruence. }
    destruct H as [H | (HA & Hd & _)], H' as [H' | (HA' & Hd' & _)].
    - congruence.
    - injection H as -> ->. apply proper_sets_spec in HA' as (_ & _ & e & He & Ee). specialize (EE e He).
      rewrite Ee, (full_true e He) in EE. congruence.
    - injection H' as -> ->. apply proper_sets_spec in HA as (_ & _ & e & He & Ee). specialize (EE e He).
      rewrite Ee, (full_true e He) in EE. congruence.
    - assert (EAA : A = A').
      { apply EA; auto. intros e He. specialize (EE e He). destruct (nth e A false), (nth e A' false); congruence. }
      subst A'. apply proper_sets_spec in HA as (_ & _ & e & He & Ee). specialize (EE e He). rewrite Ee in EE. congruence.
  Qed.

  Lemma labeling_injective N : forall c steps steps', c < n -> In steps (all_steps N c) -> In steps' (all_steps N c) ->
    labeling c steps = labeling c steps' -> steps = steps'.
  Proof.
    induction N; intros c steps steps' Hc H H' E; cbn [all_steps] in H, H'.
    { destruct H as [<- | []], H' as [<- | []]. reflexivity. }
    apply in_flat_map in H as (st & Hst & H), H' as (st' & Hst' & H').
    apply in_map_iff in H as (r & <- & H), H' as (r' & <- & H'). cbn [labeling] in E.
    assert (EB : block c st = block c st' /\ labeling (snd st) r = labeling (snd st') r').
    { assert (L : forall st, length (block c st) = M) by (intros; unfold block; now rewrite map_length, seq_length).
      split.
      - apply (f_equal (firstn M)) in E. rewrite !firstn_app, !L, Nat.sub_diag, !firstn_O, !app_nil_r in E.
        rewrite !firstn_all2 in E by (rewrite L; lia). exact E.
      - apply (f_equal (skipn M)) in E. rewrite !skipn_app, !L, Nat.sub_diag, !skipn_O in E.
        rewrite !skipn_all2 in E by (rewrite L; lia). exact E. }
    destruct EB as [EB ER]. apply block_injective in EB; auto. subst st'. f_equal.
    apply (IHN (snd st)); auto. apply (choices_possible c st Hc Hst).
  Qed.

  Lemma labeling_length c steps : length (labeling c steps) = length steps * M.
  Proof. revert c. induction steps; intros; cbn; auto. unfold block. now rewrite app_length, map_length, seq_length, IHsteps. Qed.

  Lemma construction s padding :
    growth_at_least (threshold_test natural_numbers l) n s (1 + internal_nodes s * M + padding)
      (n * (1 + length proper_sets * (n - 1)) ^ internal_nodes s).
  Proof.
    exists (sample (internal_nodes s) padding),
      (flat_map (fun c => map (whole_labeling padding c) (all_steps (internal_nodes s) c)) (seq 0 n)).
    split; [| split; [| split]].
    - unfold sample. cbn [length]. rewrite app_length, groups_length, repeat_length. lia.
    - apply NoDup_flat_map; [apply seq_NoDup | |].
      + intros c Hc. apply in_seq in Hc. apply NoDup_map_injective; [apply all_steps_NoDup |].
        intros st st' H H' E. unfold whole_labeling in E. injection E as E.
        apply (labeling_injective (internal_nodes s) c); auto; [lia |].
        apply (f_equal (firstn (internal_nodes s * M))) in E.
        destruct (all_steps_spec _ c st ltac:(lia) H) as [L _], (all_steps_spec _ c st' ltac:(lia) H') as [L' _].
        rewrite !firstn_app, !labeling_length, L, L', Nat.sub_diag, !firstn_O, !app_nil_r in E.
        rewrite !firstn_all2 in E by (rewrite labeling_length; nia). exact E.
      + intros c c' y _ _ H H'. apply in_map_iff in H as (? & <- & _), H' as (? & E & _). unfold whole_labeling in E. congruence.
    - intros y Hy. apply in_flat_map in Hy as (c & Hc & Hy). apply in_seq in Hc. apply in_map_iff in Hy as (st & <- & H).
      destruct (all_steps_spec _ c st ltac:(lia) H). apply whole_labeling_realized; auto. lia.
    - rewrite (flat_map_length_constant ((1 + length proper_sets * (n - 1)) ^ internal_nodes s)), seq_length; auto.
      intros. now rewrite map_length, all_steps_length.
  Qed.
End Construction.

(* A lower bound may be lowered. *)
Lemma growth_at_least_le {X} (allowed : test X -> Prop) n s m K K' :
  K' <= K -> growth_at_least allowed n s m K -> growth_at_least allowed n s m K'.
Proof.
  intros H (sample & Y & HL & ND & HR & HK). exists sample, (firstn K' Y). split; [auto | split; [| split]].
  - rewrite <- (firstn_skipn K' Y) in ND. now apply NoDup_app_parts in ND.
  - intros y Hy. apply HR. rewrite <- (firstn_skipn K' Y), in_app_iff. auto.
  - rewrite firstn_length. lia.
Qed.

(* Theorem: a lower bound of the growth function of every structure, M examples in a group. *)
Theorem growth_lower_bound :
  forall (l n m M : nat) (s : structure), 1 <= l -> 1 + internal_nodes s * M <= m ->
  growth_at_least (threshold_test natural_numbers l) n s m
    (n * (1 + (n - 1) * (sum (S M) (fun k => Nat.min l (binomial M k)) - 1)) ^ internal_nodes s).
Proof.
  intros l n m M s Hl Hm. destruct (most_cuts l M) as (values & sets & HC & HS).
  pose proof (construction n l M (M + 2) values sets Hl HC s (m - (1 + internal_nodes s * M))) as G.
  replace (1 + internal_nodes s * M + (m - (1 + internal_nodes s * M))) with m in G by lia.
  apply growth_at_least_le with (2 := G). apply Nat.mul_le_mono_l, Nat.pow_le_mono_l.
  pose proof (proper_sets_length l M (M + 2) values sets HC). rewrite <- HS. nia.
Qed.

(* Theorem, lower side: C(g, floor(g / 2)) <= l implies 1 + N g <= VC dimension, for every structure. *)
Theorem VC_dimension_lower_bound :
  forall (l g : nat) (s : structure), binomial g (g / 2) <= l ->
  VC_dimension_at_least (threshold_test natural_numbers l) s (1 + internal_nodes s * g).
Proof.
  intros l g s H.
  assert (Hl : 1 <= l). { pose proof (binomial_positive g (g / 2)). pose proof (half_bounds g). lia. }
  destruct (growth_lower_bound l 2 (1 + internal_nodes s * g) g s Hl (le_n _)) as (sample & Y & HL & ND & HR & HK).
  exists sample. split; auto. intros y Hy Hc.
  apply HR. assert (I : incl (all_labelings 2 (1 + internal_nodes s * g)) Y).
  { apply NoDup_length_incl; auto.
    - rewrite all_labelings_length, HK.
      rewrite (sum_ext _ _ (fun k => binomial g k)).
      2:{ intros k _. pose proof (binomial_central g k). lia. }
      change (sum (S g) (fun k => binomial g k)) with (sum (S g) (binomial g)). rewrite sum_binomial.
      replace (1 + (2 - 1) * (2 ^ g - 1)) with (2 ^ g) by (pose proof (Nat.pow_nonzero 2 g); lia).
      rewrite Nat.pow_add_r, <- Nat.pow_mul_r, (Nat.mul_comm g). cbn. lia.
    - intros z Hz. destruct (HR z Hz) as (T & HT & <-). apply all_labelings_spec. rewrite map_length. split; auto.
      clear - HT. apply Forall_map. rewrite Forall_forall. intros x _. induction HT; cbn; auto; destruct (q x); auto. }
  apply I, all_labelings_spec. split; auto. congruence.
Qed.
