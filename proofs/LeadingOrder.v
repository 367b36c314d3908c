(* A lower bound of the growth function, exact to leading order for complete trees (chapter "Growth functions").

   In words: let P = sum_{k=0}^{W} min(l, C(W, k)) and m >= 1 + K (W + 1). Every structure with N internal nodes on l
   >= 1 features with natural numbers as values realizes at least n (1 + C(K, 1) (n - 1) P + ... + C(K, N) ((n - 1)
   P)^N) labelings of some sample of m examples with n classes. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Chains LowerBound Groups
  RegressionTrees.
Import ListNotations.

Section Choices.
  Variables n l M W : nat.
  Variable values : nat -> nat -> nat.
  Variable sets : list (list bool).

  (* A group of M examples is cut, with a set that keeps the label before and a new label for the others,
     or not. *)
  Notation choice := (option (list bool * nat)).

  Definition label_in (c : nat) (o : choice) (e : nat) : nat :=
    match o with None => c | Some (A, c') => if nth e A false then c else c' end.

  Definition label_after (c : nat) (o : choice) : nat := match o with None => c | Some (_, c') => c' end.

  Fixpoint choice_at (c : nat) (choices : list choice) (k e : nat) : nat :=
    match choices, k with
    | [], _ => c
    | o :: _, 0 => label_in c o e
    | o :: rest, S k' => choice_at (label_after c o) rest k' e
    end.

  Definition label_at_end (c : nat) (choices : list choice) : nat := fold_left label_after choices c.

  Definition is_cut (o : choice) : bool := match o with None => false | Some _ => true end.

  Definition n_cuts (choices : list choice) : nat := length (filter is_cut choices).

  Definition valid_choice (o : choice) : Prop := match o with None => True | Some (A,
    c') => In A sets /\ c' < n end.

  Lemma choice_at_before c s1 s2 k e : k < length s1 -> choice_at c (s1 ++ s2) k e = choice_at c s1 k e.
  Proof. revert c k. induction s1 as [|o s1 IH]; intros c [|k] H; cbn in *; try lia; auto. apply IH. lia. Qed.

  Lemma choice_at_after c s1 s2 k e : choice_at c (s1 ++ s2) (length s1 + k) e = choice_at (label_at_end c s1)
    s2 k e.
  Proof. revert c. induction s1 as [|o s1 IH]; intros c; cbn; [reflexivity | apply IH]. Qed.

  Lemma label_at_end_bounded c choices : c < n -> Forall valid_choice choices -> label_at_end c choices < n.
  Proof.
    intros H F. revert c H. induction F as [|o choices Ho F IH]; intros c H; cbn; auto. apply IH.
    destruct o as [[A c'] |]; cbn in *; tauto.
  Qed.

  Lemma no_cuts choices : n_cuts choices = 0 -> forall c,
    label_at_end c choices = c /\ forall k e, choice_at c choices k e = c.
  Proof.
    unfold n_cuts. induction choices as [|[p |] choices IH]; intros H c; [split; auto | discriminate |].
    destruct (IH H c) as [E1 E2]. split; auto. intros [|k] e; cbn; auto.
  Qed.

  Lemma split_at_cut choices : forall N, N < n_cuts choices -> exists s1 A c' s2,
    choices = s1 ++ Some (A, c') :: s2 /\ n_cuts s1 = N /\ n_cuts choices = N + S (n_cuts s2).
  Proof.
    unfold n_cuts. induction choices as [|[[A c'] |] choices IH]; intros N H; cbn [filter is_cut length] in *;
      [lia | |].
    - destruct N as [|N].
      + exists [], A, c', choices. auto.
      + destruct (IH N ltac:(lia)) as (s1 & A' & c'' & s2 & -> & E1 & E2).
        exists (Some (A, c') :: s1), A', c'', s2.
        cbn. repeat split; lia.
    - destruct (IH N H) as (s1 & A' & c'' & s2 & -> & E1 & E2). exists (None :: s1), A', c'', s2. cbn. auto.
  Qed.

  Hypothesis l_features : 1 <= l.
  Hypothesis cuts : cuts_off l M W values sets.

  (* The nodes of a tree cut the chosen groups, in order; nodes that are left over cut above everything. *)
  Lemma tree_for_choices top s : forall choices j c, n_cuts choices <= internal_nodes s -> c < n ->
    Forall valid_choice choices -> (j + length choices) * W <= top ->
    exists T, has_structure (threshold_test natural_numbers l) n T s /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= j * W) -> evaluate T x = c) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> (j + length choices) * W < x i <= top) ->
        evaluate T x = label_at_end c choices) /\
      (forall k e, k < length choices -> e < M ->
        evaluate T (member_of W values (j + k) e) = choice_at c choices k e).
  Proof.
    induction s as [|a IHa b IHb]; intros choices j c HN Hc F HT; cbn [internal_nodes] in HN.
    { destruct (no_cuts choices ltac:(lia) c) as [E1 E2]. exists (Leaf c). split; [now constructor |]. cbn.
      repeat split; auto. }
    pose proof (fun k e i => member_of_bounds l M W values sets cuts k e i) as HM.
    destruct (Nat.le_gt_cases (n_cuts choices) (internal_nodes a)) as [C | C].
    - destruct (IHa choices j c C Hc F HT) as (T1 & S1 & Lo & Hi & Mid).
      destruct (IHb [] 0 c) as (T2 & S2 & _); [cbn; lia | auto | constructor | cbn; lia |].
      exists (Node (fun x : nat -> natural_numbers => x 0 <=? top) T1 T2). split; [| split; [| split]].
      + apply node_has; auto. exists 0, top. auto.
      + intros x Hx. cbn [evaluate]. pose proof (Hx 0 l_features). destruct (Nat.leb_spec (x 0) top);
        [auto | nia].
      + intros x Hx. cbn [evaluate]. pose proof (Hx 0 l_features). destruct (Nat.leb_spec (x 0) top);
        [auto | lia].
      + intros k e Hk He. cbn [evaluate]. specialize (HM (j + k) e 0).
        destruct (Nat.leb_spec (member_of W values (j + k) e 0) top); [auto | nia].
    - destruct (split_at_cut choices _ C) as (s1 & A & c' & s2 & -> & N1 & N2).
      apply Forall_app in F as [F1 F]. inversion F as [|? ? HV F2]; subst. destruct HV as [HA Hc'].
      rewrite app_length in HT |- *. cbn [length] in HT |- *.
      assert (T1w : (j + length s1) * W <= top) by (clear - HT; nia).
      assert (T2w : (j + length s1 + 1 + length s2) * W <= top) by (clear - HT; nia).
      assert (C1 : n_cuts s1 <= internal_nodes a) by (rewrite N1; auto).
      assert (C2 : n_cuts s2 <= internal_nodes b) by (rewrite N2 in HN; clear - HN; lia).
      destruct (IHa s1 j c C1 Hc F1 T1w) as (T1 & S1 & Lo1 & Hi1 & Mid1).
      destruct (IHb s2 (j + length s1 + 1) c' C2 Hc' F2 T2w) as (T2 & S2 & Lo2 & Hi2 & Mid2).
      destruct (proj2 (proj2 cuts) A HA) as (_ & i & t & Hi & Ht & Hcut).
      set (threshold := 1 + (j + length s1) * W + t).
      exists (Node (fun x : nat -> natural_numbers => x i <=? threshold) T1 T2). split; [| split; [| split]].
      + apply node_has; auto. exists i, threshold. auto.
      + intros x Hx. cbn [evaluate]. destruct (Nat.leb_spec (x i) threshold) as [H | H]; [now apply Lo1 |].
        specialize (Hx i Hi). unfold threshold in H. nia.
      + intros x Hx. cbn [evaluate]. destruct (Nat.leb_spec (x i) threshold) as [H | H].
        * specialize (Hx i Hi). unfold threshold in H. nia.
        * rewrite Hi2; [unfold label_at_end; now rewrite fold_left_app |]. intros i' Hi'.
          destruct (Hx i' Hi') as [G1 G2]. split; [| exact G2]. eapply Nat.le_lt_trans; [| exact G1].
          apply Nat.mul_le_mono_r. lia.
      + intros k e Hk He. cbn [evaluate]. specialize (HM (j + k) e) as HMk.
        destruct (lt_eq_lt_dec k (length s1)) as [[D | D] | D].
        * destruct (Nat.leb_spec (member_of W values (j + k) e i) threshold) as [H | H].
          -- rewrite Mid1 by auto. now rewrite choice_at_before.
          -- specialize (HMk i). unfold threshold in H. nia.
        * subst k. rewrite <- (Nat.add_0_r (length s1)) at 4. rewrite choice_at_after.
          cbn [choice_at label_in].
          rewrite (Hcut e He). unfold member_of at 1.
          replace (1 + (j + length s1) * W + values i e <=? threshold) with (values i e <=? t).
          2:{ unfold threshold. apply Bool.eq_true_iff_eq. rewrite !Nat.leb_le. lia. }
          destruct (values i e <=? t).
          -- apply Hi1. intros i' _. specialize (HMk i'). nia.
          -- apply Lo2. intros i' _. specialize (HMk i'). nia.
        * destruct (Nat.leb_spec (member_of W values (j + k) e i) threshold) as [H | H].
          -- specialize (HMk i). unfold threshold in H. nia.
          -- replace (j + k) with (j + length s1 + 1 + (k - length s1 - 1)) by lia.
             rewrite Mid2 by lia. replace k with (length s1 + S (k - length s1 - 1)) at 2 by lia.
             rewrite choice_at_after. reflexivity.
  Qed.

  (* ---- The labelings are different ------------------------------------------------------------------------------ *)

  Fixpoint labels_of (c : nat) (choices : list choice) : list nat :=
    match choices with [] => [] | o :: rest => map (label_in c o) (seq 0 M) ++ labels_of (label_after c o)
      rest end.

  Lemma labels_of_length c choices : length (labels_of c choices) = length choices * M.
  Proof. revert c. induction choices; intros; cbn; auto. now rewrite app_length, map_length, seq_length,
    IHchoices. Qed.

  Lemma labels_of_tree (f : (nat -> natural_numbers) -> nat) choices : forall j c,
    (forall k e, k < length choices -> e < M -> f (member_of W values (j + k) e) = choice_at c choices k e) ->
    map f (groups M W values j (length choices)) = labels_of c choices.
  Proof.
    clear cuts l_features. induction choices as [|o choices IH]; intros j c H; auto.
      cbn [length groups labels_of]. rewrite map_app. f_equal.
    - rewrite map_map. apply map_ext_in. intros e He. apply in_seq in He.
      specialize (H 0 e). rewrite Nat.add_0_r in H. cbn in *. apply H; lia.
    - apply IH. intros k e Hk He. specialize (H (S k) e). rewrite Nat.add_succ_r in H. cbn in *. apply H; lia.
  Qed.

  (* All choices for K groups with at most N cuts, each with another label than before. *)
  Fixpoint all_choices (K N c : nat) : list (list choice) :=
    match K with
    | 0 => [[]]
    | S K' => map (cons None) (all_choices K' N c) ++
        match N with
        | 0 => []
        | S N' => flat_map (fun A => flat_map (fun c' => map (cons (Some (A,
          c'))) (all_choices K' N' c')) (others n c)) sets
        end
    end.

  Lemma all_choices_length K : forall N c, length (all_choices K N c) =
    sum (S N) (fun j => binomial K j * ((n - 1) * length sets) ^ j).
  Proof.
    clear cuts l_features. set (q := (n - 1) * length sets). induction K as [|K IH]; intros N c;
      cbn [all_choices length].
    { rewrite sum_first, binomial_0. rewrite (sum_ext N _ (fun _ => 0)) by reflexivity. rewrite sum_const.
      cbn. lia. }
    rewrite app_length, map_length, IH. destruct N as [|N].
    { cbn [sum length]. rewrite !binomial_0. lia. }
    rewrite (flat_map_length_constant ((n - 1) * sum (S N) (fun j => binomial K j * q ^ j))).
    2:{ intros A _. rewrite (flat_map_length_constant (sum (S N) (fun j => binomial K j * q ^ j))).
        - now rewrite others_length.
        - intros. now rewrite map_length, IH. }
    rewrite (sum_first (S N) (fun j => binomial (S K) j * q ^ j)),
      (sum_first (S N) (fun j => binomial K j * q ^ j)).
    cbv beta. rewrite !binomial_0.
    rewrite (sum_ext (S N) (fun i => binomial (S K) (S i) * q ^ S i)
      (fun i => binomial K (S i) * q ^ S i + q * (binomial K i * q ^ i)))
      by (intros; rewrite binomial_S; cbn [Nat.pow]; lia).
    rewrite sum_add, sum_mul. unfold q. nia.
  Qed.

  Lemma all_choices_valid K : forall N c choices, c < n -> In choices (all_choices K N c) ->
    length choices = K /\ n_cuts choices <= N /\ Forall valid_choice choices.
  Proof.
    clear cuts l_features. induction K as [|K IH]; intros N c choices Hc H; cbn [all_choices] in H.
    { destruct H as [<- | []]. cbn. repeat split; auto. lia. }
    apply in_app_or in H as [H | H].
    - apply in_map_iff in H as (r & <- & H). destruct (IH N c r Hc H) as (L & C & F). cbn. repeat split; auto.
      constructor; cbn; auto.
    - destruct N as [|N]; [destruct H |]. apply in_flat_map in H as (A & HA & H).
      apply in_flat_map in H as (c' & Hc' & H).
      apply in_map_iff in H as (r & <- & H). apply (others_bounded n 1 (le_n 1) c c' Hc) in Hc'.
      destruct (IH N c' r Hc' H) as (L & C & F).
      unfold n_cuts in *. cbn. repeat split; auto; [lia |]. constructor; cbn; auto.
  Qed.

  Hypothesis M_positive : 1 <= M.
  Hypothesis last_is_out : forall A, In A sets -> nth (M - 1) A false = false.

  Lemma all_choices_NoDup K : forall N c, NoDup (all_choices K N c).
  Proof.
    destruct cuts as (ND & _). clear M_positive last_is_out l_features.
    induction K as [|K IH]; intros N c; cbn [all_choices]. { repeat constructor. auto. }
    apply NoDup_app_parts. split; [| split].
    - apply NoDup_map_injective; auto. congruence.
    - destruct N as [|N]; [constructor |]. apply NoDup_flat_map; auto.
      + intros A _. apply NoDup_flat_map; [apply (others_NoDup n 1 (le_n 1)) | |].
        * intros. apply NoDup_map_injective; auto. congruence.
        * intros c1 c2 y _ _ H1 H2. apply in_map_iff in H1 as (? & <- & _), H2 as (? & E & _). congruence.
      + intros A A' y _ _ H1 H2. apply in_flat_map in H1 as (? & _ & H1), H2 as (? & _ & H2).
        apply in_map_iff in H1 as (? & <- & _), H2 as (? & E & _). congruence.
    - intros y H1 H2. apply in_map_iff in H1 as (? & <- & _). destruct N as [|N]; [destruct H2 |].
      apply in_flat_map in H2 as (? & _ & H2). apply in_flat_map in H2 as (? & _ & H2).
      apply in_map_iff in H2 as (? & E & _). discriminate.
  Qed.

  (* The labels of a group determine whether it is cut, by the label of its last example, and where. *)
  Definition distinct_choice (c : nat) (o : choice) : Prop :=
    match o with None => True | Some (A, c') => In A sets /\ c' <> c end.

  Lemma group_shows c o o' : distinct_choice c o -> distinct_choice c o' ->
    map (label_in c o) (seq 0 M) = map (label_in c o') (seq 0 M) -> o = o'.
  Proof.
    intros H H' E. assert (EE : forall e, e < M -> label_in c o e = label_in c o' e).
    { intros e He. apply (f_equal (fun L => nth e L 0)) in E. now rewrite !map_nth_in_seq in E by exact He. }
    pose proof (EE (M - 1) ltac:(lia)) as EL.
    destruct o as [[A d] |], o' as [[A' d'] |]; cbn [label_in distinct_choice] in *; auto.
    - destruct H as [HA Hd], H' as [HA' Hd']. rewrite !last_is_out in EL by auto. subst d'. do 2 f_equal.
      apply (nth_ext A A' false false); [transitivity M; [apply cuts, HA | symmetry; apply cuts, HA'] |].
      intros e He. replace (length A) with M in He by (symmetry; apply cuts, HA). specialize (EE e He).
      destruct (nth e A false), (nth e A' false); congruence.
    - rewrite last_is_out in EL by apply H. destruct H. congruence.
    - rewrite last_is_out in EL by apply H'. destruct H'. congruence.
  Qed.

  Lemma labels_of_injective K : forall N c s s', In s (all_choices K N c) -> In s' (all_choices K N c) ->
    labels_of c s = labels_of c s' -> s = s'.
  Proof.
    assert (FIRST : forall K N c s, In s (all_choices (S K) N c) -> exists o r N',
      s = o :: r /\ distinct_choice c o /\
      In r (all_choices K N' (label_after c o)) /\ N' <= N /\
        N' = match o with None => N | Some _ => N - 1 end).
    { clear. intros K N c s H. cbn [all_choices] in H. apply in_app_or in H as [H | H].
      - apply in_map_iff in H as (r & <- & H). exists None, r, N. cbn. auto.
      - destruct N as [|N]; [destruct H |]. apply in_flat_map in H as (A & HA & H).
        apply in_flat_map in H as (c' & Hc' & H). apply in_map_iff in H as (r & <- & H).
        exists (Some (A, c')), r, N. cbn. apply (others_not n 1 (le_n 1)) in Hc'. repeat split; auto. lia. }
    induction K as [|K IH]; intros N c s s' H H' E.
    { cbn in H, H'. destruct H as [<- | []], H' as [<- | []]. reflexivity. }
    apply FIRST in H as (o & r & N1 & -> & D & H & _ & E1), H' as (o' & r' & N2 & -> & D' & H' & _ & E2).
    cbn [labels_of] in E.
    assert (L : forall o, length (map (label_in c o) (seq 0 M)) = M) by (intros;
      now rewrite map_length, seq_length).
    assert (EB : o = o').
    { apply (group_shows c); auto. apply (f_equal (firstn M)) in E.
      rewrite !firstn_app, !L, Nat.sub_diag, !firstn_O, !app_nil_r in E.
        rewrite !firstn_all2 in E by (rewrite L; lia). exact E. }
    subst o'. f_equal. apply (IH N1 (label_after c o)); auto; [now rewrite E1, <- E2 |].
    now apply app_inv_head in E.
  Qed.

  Lemma construction_of_choices s K padding :
    growth_at_least (threshold_test natural_numbers l) n s (1 + K * M + padding)
      (n * sum (S (internal_nodes s)) (fun j => binomial K j * ((n - 1) * length sets) ^ j)).
  Proof.
    set (N := internal_nodes s).
    exists (origin :: groups M W values 0 K ++ repeat origin padding),
      (flat_map (fun c => map (fun ch => c :: labels_of c ch ++ repeat c padding) (all_choices K N c)) (seq 0
        n)).
    split; [| split; [| split]].
    - cbn [length]. rewrite app_length, groups_length, repeat_length. lia.
    - apply NoDup_flat_map; [apply seq_NoDup | |].
      + intros c Hc. apply in_seq in Hc. apply NoDup_map_injective; [apply all_choices_NoDup |].
        intros s1 s2 H1 H2 E. injection E as E. apply app_inv_tail in E.
          exact (labels_of_injective K N c s1 s2 H1 H2 E).
      + intros c c' y _ _ H H'. apply in_map_iff in H as (? & <- & _), H' as (? & E & _). congruence.
    - intros y Hy. apply in_flat_map in Hy as (c & Hc & Hy). apply in_seq in Hc.
      apply in_map_iff in Hy as (ch & <- & H). destruct (all_choices_valid K N c ch ltac:(lia) H) as (L & C &
        F).
      destruct (tree_for_choices ((0 + length ch) * W) s ch 0 c C ltac:(lia) F (le_n _)) as (T & HT & Lo & _ &
        Mid).
      assert (E0 : evaluate T origin = c) by (apply Lo; intros; apply Nat.le_0_l).
      exists T. split; auto. cbn [map]. f_equal; [exact E0 |]. rewrite map_app, <- L. f_equal.
      + now apply labels_of_tree.
      + clear - E0. induction padding; cbn [repeat map]; auto. f_equal; [exact E0 | exact IHpadding].
    - rewrite (flat_map_length_constant (sum (S N) (fun j => binomial K j * ((n - 1) * length sets) ^ j))),
      seq_length; auto.
      intros. now rewrite map_length, all_choices_length.
  Qed.
End Choices.

Theorem growth_lower_bound_by_chosen_groups :
  forall (l n m K W : nat) (s : structure), 1 <= l -> 1 + K * (W + 1) <= m ->
  growth_at_least (threshold_test natural_numbers l) n s m
    (n * sum (S (internal_nodes s)) (fun j =>
      binomial K j * ((n - 1) * sum (S W) (fun k => Nat.min l (binomial W k))) ^ j)).
Proof.
  intros l n m K W s Hl Hm. destruct (most_cuts l W) as (values & sets & HC & HS).
  pose proof (topped_cuts l W (W + 2) values sets HC) as HT.
  assert (LO : forall A, In A (topped_sets sets) -> nth (S W - 1) A false = false).
  { intros A HA. apply in_map_iff in HA as (A' & <- & HA'). destruct HC as (_ & _ & HC).
    destruct (HC A' HA') as (L & _).
    rewrite app_nth2, L by lia. replace (S W - 1 - W) with 0 by lia. reflexivity. }
  pose proof (construction_of_choices n l (S W) (S (W + 2)) _ (topped_sets sets) Hl HT ltac:(lia) LO s K
    (m - (1 + K * S W))) as G.
  replace (1 + K * S W + (m - (1 + K * S W))) with m in G by lia.
  unfold topped_sets in G. rewrite map_length, HS in G. exact G.
Qed.
