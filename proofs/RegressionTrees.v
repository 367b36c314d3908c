(* Regression trees (chapter "Regression trees: numbers at the leaves"): lower and upper bounds of the pseudo-dimension.

   In words: if C(g, floor(g / 2)) <= l, a structure with N internal nodes, with natural numbers as values of the l
   features and at the leaves, pseudo-shatters a sample of 1 + N (g + 1) examples. If a structure pseudo-shatters d >=
   1 examples, with values in any linear orders, then 2^(d + N) is at most the sum of C(N, p) (4 l)^p C(N + 1, q) 2^(N
   + 1 - q) C(d - 1, p + q) over p and q. *)

From Coq Require Import List Arith Lia Permutation Bool.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Chains LowerBound Groups Patterns.
Import ListNotations.

(* A leaf holds a value. *)
Inductive regression_tree (X V : Type) : Type :=
  | Value (v : V)
  | Split (passes : test X) (yes no : regression_tree X V).
Arguments Value {X V}.
Arguments Split {X V}.

Fixpoint predict {X V} (T : regression_tree X V) (x : X) : V :=
  match T with
  | Value v => v
  | Split passes yes no => if passes x then predict yes x else predict no x
  end.

(* T has the structure s, up to mirror images at any of its nodes. *)
Inductive fits {X V} (allowed : test X -> Prop) : regression_tree X V -> structure -> Prop :=
  | value_fits v : fits allowed (Value v) leaf
  | split_fits q T1 T2 a b :
      allowed q -> fits allowed T1 a -> fits allowed T2 b -> fits allowed (Split q T1 T2) (node a b)
  | split_fits_mirrored q T1 T2 a b :
      allowed q -> fits allowed T1 b -> fits allowed T2 a -> fits allowed (Split q T1 T2) (node a b).

(* The sample holds examples with thresholds. For every choice of examples a tree predicts values above their
   thresholds (1) for these and not above their thresholds (0) for the others. *)
Definition pseudo_shattered {X} (V : linear_order) (allowed : test X -> Prop) (s : structure)
  (sample : list (X * V)) : Prop :=
  forall y, length y = length sample -> Forall (fun c => c < 2) y ->
  exists T, fits allowed T s /\ map (fun p => if le V (predict T (fst p)) (snd p) then 0 else 1) sample = y.

(* ---- The lower side ------------------------------------------------------------------------------------------- *)

Section Lower.
  Variables l g W : nat.
  Variable values : nat -> nat -> nat.
  Variable sets : list (list bool).
  Hypothesis cuts : cuts_off l g W values sets.
  Hypothesis every_set : forall A, length A = g -> In A sets.
  Hypothesis l_features : 1 <= l.

  (* One more example in each group, above the others and never cut off: it belongs to the next leaf. *)
  Definition topped (i e : nat) : nat := if e =? g then W else values i e.
  Definition topped_sets : list (list bool) := map (fun A => A ++ [false]) sets.

  Lemma topped_cuts : cuts_off l (S g) (S W) topped topped_sets.
  Proof.
    clear every_set l_features. destruct cuts as (ND & HV & HS). split; [| split].
    - apply NoDup_map_injective; auto. intros A B _ _ E. now apply app_inj_tail in E.
    - intros i e. unfold topped. specialize (HV i e). destruct (e =? g); lia.
    - intros A' HA. apply in_map_iff in HA as (A & <- & HA). destruct (HS A HA) as (L & i & t & Hi & Ht & H).
      rewrite app_length, L. split; [cbn; lia |]. exists i, t. split; [auto |]. split; [lia |]. intros e He.
      unfold topped. destruct (Nat.eqb_spec e g) as [-> | NE].
      + rewrite app_nth2, L, Nat.sub_diag by lia. cbn [nth]. symmetry. apply Nat.leb_gt. lia.
      + rewrite app_nth1 by lia. apply H. lia.
  Qed.

  (* Leaf k holds 2 k or 2 k + 1, depending on the bit of its own example. *)
  Fixpoint rising (f : nat -> nat -> nat) (k N : nat) : list step :=
    match N with
    | 0 => []
    | S N' => (map (fun e => f k e =? 0) (seq 0 g) ++ [false], 2 * (k + 1) + f k g) :: rising f (S k) N'
    end.

  Lemma rising_length f k N : length (rising f k N) = N.
  Proof. revert k. induction N; intros; cbn [rising length]; auto. Qed.

  Lemma rising_possible f n N : (forall k e, f k e < 2) -> forall k, 2 * (k + N) + 1 < n ->
    Forall (possible n (S g) topped_sets) (rising f k N).
  Proof.
    intros B. induction N as [|N IH]; intros k Hk; cbn [rising]; constructor.
    - split; cbn [fst snd]; [| specialize (B k g); lia]. left. apply in_map_iff. eexists. split;
      [reflexivity |].
      apply every_set. now rewrite map_length, seq_length.
    - apply IH. lia.
  Qed.

  Lemma label_at_rising f N : forall c j k e, k < N -> e < S g ->
    label_at c (rising f j N) k e =
    if (e <? g) && (f (j + k) e =? 0) then (if k =? 0 then c else 2 * (j + k) + f (j + k - 1) g)
    else 2 * (j + k + 1) + f (j + k) g.
  Proof.
    induction N as [|N IH]; intros c j k e Hk He; [lia |]. cbn [rising label_at]. destruct k as [|k].
    - rewrite Nat.add_0_r. cbn [Nat.eqb]. destruct (Nat.ltb_spec e g) as [L | L].
      + rewrite app_nth1 by (rewrite map_length, seq_length; lia). rewrite map_nth_in_seq by exact L.
        reflexivity.
      + rewrite app_nth2 by (rewrite map_length, seq_length; lia). rewrite map_length, seq_length.
        replace (e - g) with 0 by lia. reflexivity.
    - rewrite IH by lia. replace (S j + k) with (j + S k) by lia. cbn [Nat.eqb].
      destruct ((e <? g) && (f (j + S k) e =? 0)); [| lia]. destruct (Nat.eqb_spec k 0) as [-> | NE]; [| lia].
      replace (j + 1 - 1) with j by lia. lia.
  Qed.

  Fixpoint as_regression (T : decision_tree (nat -> natural_numbers)) :
    regression_tree (nat -> natural_numbers) natural_numbers :=
    match T with Leaf c => Value c | Node q T1 T2 => Split q (as_regression T1) (as_regression T2) end.

  Lemma as_regression_predicts T x : predict (as_regression T) x = evaluate T x.
  Proof. induction T as [c | q T1 IH1 T2 IH2]; cbn; auto. destruct (q x); auto. Qed.

  Lemma as_regression_fits n T s allowed : has_structure allowed n T s -> fits allowed (as_regression T) s.
  Proof. induction 1; cbn; [constructor | now apply split_fits | now apply split_fits_mirrored]. Qed.

  (* Example e of group k with its threshold. *)
  Definition pair_of (k e : nat) : (nat -> natural_numbers) * natural_numbers :=
    (member_of (S W) topped k e, if e =? g then 2 * (k + 1) else 2 * k + 1).

  Fixpoint pairs (k N : nat) : list ((nat -> natural_numbers) * natural_numbers) :=
    match N with 0 => [] | S N' => map (pair_of k) (seq 0 (S g)) ++ pairs (S k) N' end.

  Lemma pairs_length k N : length (pairs k N) = N * S g.
  Proof.
    clear cuts every_set l_features.
    revert k. induction N as [|N IH]; intros k; auto. cbn [pairs].
      rewrite app_length, map_length, seq_length, IH. lia.
  Qed.

  Lemma pattern_of_pairs (F : (nat -> natural_numbers) * natural_numbers -> nat) f N : forall k,
    (forall k' e, k <= k' < k + N -> e < S g -> F (pair_of k' e) = f k' e) ->
    map F (pairs k N) = spread (S g) f k N.
  Proof.
    induction N as [|N IH]; intros k H; auto. cbn [pairs spread]. rewrite map_app. f_equal.
    - rewrite map_map. apply map_ext_in. intros e He. apply in_seq in He. apply H; lia.
    - apply IH. intros. apply H; lia.
  Qed.

  Lemma pseudo_shattered_pairs s : pseudo_shattered natural_numbers (threshold_test natural_numbers l) s
    ((origin, 0) :: pairs 0 (internal_nodes s)).
  Proof.
    intros [|c y] Ly Fy; [discriminate |]. cbn [length] in Ly. rewrite pairs_length in Ly.
    inversion Fy as [|? ? Hc F]; subst. set (N := internal_nodes s) in *.
    destruct (spread_all (S g) N 0 y) as (f & Ef & B); [lia | auto |].
    destruct (tree_for_steps (2 * N + 2) l (S g) (S W) topped topped_sets l_features topped_cuts s (rising f 0
      N) 0 c)
      as (T & HT & Lo & _ & Mid); [apply rising_length | lia | apply rising_possible; auto; lia |].
    exists (as_regression T). split; [now apply (as_regression_fits (2 * N + 2)) |]. cbn [map fst snd].
      f_equal.
    - rewrite as_regression_predicts, Lo by (intros; apply Nat.le_0_l).
      change (le natural_numbers c 0) with (c <=? 0). destruct (Nat.leb_spec c 0); lia.
    - rewrite Ef. apply pattern_of_pairs. intros k e Hk He. unfold pair_of. cbn [fst snd].
      rewrite as_regression_predicts. rewrite rising_length in Mid. pose proof (Mid k e ltac:(lia) He) as E.
      rewrite label_at_rising in E by lia. cbn [Nat.add] in E. rewrite E. pose proof (B k e) as Bke.
        pose proof (B k g) as Bkg.
      match goal with |- (if le natural_numbers ?u ?v then _ else _) = _ => change (le natural_numbers u v)
        with (u <=? v) end.
      assert (Bc : (if k =? 0 then c else 2 * k + f (k - 1) g) <= 2 * k + 1).
      { destruct (Nat.eqb_spec k 0); [lia | specialize (B (k - 1) g); lia]. }
      destruct (Nat.ltb_spec e g) as [L | L]; cbn [andb].
      + destruct (Nat.eqb_spec e g); [lia |]. destruct (Nat.eqb_spec (f k e) 0) as [Z | Z];
          destruct (Nat.leb_spec (if k =? 0 then c else 2 * k + f (k - 1) g) (2 * k + 1)),
          (Nat.leb_spec (2 * (k + 1) + f k g) (2 * k + 1)); lia.
      + replace e with g by lia. rewrite Nat.eqb_refl.
        destruct (Nat.leb_spec (2 * (k + 1) + f k g) (2 * (k + 1))); lia.
  Qed.
End Lower.

Theorem pseudo_dimension_lower_bound :
  forall (l g : nat) (s : structure), binomial g (g / 2) <= l ->
  exists sample, length sample = 1 + internal_nodes s * (g + 1) /\
    pseudo_shattered natural_numbers (threshold_test natural_numbers l) s sample.
Proof.
  intros l g s H. destruct (all_subsets_cut_off l g H) as (W & values & sets & C & E).
  eexists. split; [| exact (pseudo_shattered_pairs l g W values sets C E (some_feature l g H) s)].
  cbn [length]. rewrite pairs_length. lia.
Qed.

(* ---- The upper side ------------------------------------------------------------------------------------------- *)

Definition reversed (V : linear_order) : linear_order := {|
  value := V;
  le := fun u v => le V v u;
  le_total := ltac:(intros u v; apply le_total);
  le_transitive := ltac:(intros u v w H H'; exact (le_transitive V w v u H' H));
  le_antisymmetric := ltac:(intros u v H H'; exact (le_antisymmetric V u v H' H))
|}.

Section Upper.
  Variables R V : linear_order.
  Variable l : nat.
  Variable sample : list ((nat -> R) * V).
  Variable default : (nat -> R) * V.

  Let m := length sample.
  Let examples := map fst sample.
  Let at_ (x : nat) : nat -> R := nth x examples (fst default).
  Let threshold (x : nat) : V := nth x (map snd sample) (snd default).
  Let rank (i x : nat) : nat := position R (fun y => at_ y i) (length examples) x.
  Hypothesis room : forall x, x < m -> exists v, le V v (threshold x) = false.

  Definition one_value (A : list nat) (f : nat -> nat) : Prop :=
    exists v, forall x, In x A -> f x = if le V v (threshold x) then 0 else 1.

  Lemma one_value_incl A B f : incl A B -> one_value B f -> one_value A f.
  Proof. intros H (c & Hc). exists c. auto. Qed.

  Lemma one_value_bounded A f x : one_value A f -> In x A -> f x < 2.
  Proof. intros (v & Hv) Hx. rewrite (Hv x Hx). destruct (le V v (threshold x)); auto. Qed.

  Lemma le_reflexive (v : V) : le V v v = true.
  Proof. now destruct (le_total V v v). Qed.

  Lemma one_value_short A f : incl A (seq 0 m) -> length A <= 1 -> (forall x,
    In x A -> f x < 2) -> one_value A f.
  Proof.
    intros HA L H. destruct A as [|x [|]]; cbn in L; [exists (threshold 0); intros ? [] | | lia].
    specialize (H x (or_introl eq_refl)). destruct (f x) as [|[|]] eqn:E; [| | lia].
    - exists (threshold x). intros y [<- | []]. now rewrite le_reflexive.
    - destruct (room x) as (v & Hv). { specialize (HA x (or_introl eq_refl)). apply in_seq in HA. lia. }
      exists v. intros y [<- | []]. now rewrite Hv.
  Qed.

  Lemma one_value_few A : NoDup A -> incl A (seq 0 m) -> A <> [] -> few A (length A - 1 + 2) (one_value A).
  Proof.
    intros _ HA NE. set (key := position (reversed V) threshold m). set (p := sort key A).
    assert (Lp : length p = length A) by (symmetry; apply Permutation_length, sort_permutation).
    exists (map (fun k x => if member (firstn k p) x then 0 else 1) (seq 0 (S (length A)))). split.
    { rewrite map_length, seq_length. destruct A; [easy | cbn; lia]. }
    intros f (v & Hv).
    set (t := length (filter (fun y => le (reversed V) (threshold y) v) (seq 0 m))).
    destruct (threshold_is_prefix key p t (sort_sorted key A)) as (k & Hk & Below & Above).
    eexists. split; [apply in_map_iff; exists k; split; [reflexivity | apply in_seq; lia] |].
    intros x Hx. cbv beta. rewrite (Hv x Hx).
    pose proof (threshold_position (reversed V) threshold m v x (HA x Hx)) as E.
    change (le (reversed V) (threshold x) v) with (le V v (threshold x)) in E. fold key t in E. rewrite E.
    assert (Ip : In x (firstn k p) \/ In x (skipn k p)).
    { rewrite <- in_app_iff, firstn_skipn. eapply Permutation_in; [apply sort_permutation | exact Hx]. }
    destruct (member (firstn k p) x) eqn:M.
    - apply member_spec, Below in M. destruct (Nat.ltb_spec (key x) t); auto. lia.
    - destruct Ip as [Ip | Ip]; [apply member_spec in Ip; congruence |]. apply Above in Ip.
      destruct (Nat.ltb_spec (key x) t); auto. lia.
  Qed.

  Lemma examples_length : length examples = m.
  Proof. apply map_length. Qed.

  Lemma tree_pattern T s : fits (threshold_test R l) T s -> forall A f, incl A (seq 0 m) ->
    (forall x, In x A -> f x = if le V (predict T (at_ x)) (threshold x) then 0 else 1) ->
    pattern l rank (seq 0 m) one_value s A f.
  Proof.
    induction 1 as [v | q T1 T2 a b Hq _ IH1 _ IH2 | q T1 T2 a b Hq _ IH1 _ IH2]; intros A f HA H;
      cbn [pattern].
    { exists v. exact H. }
    all: exists (fun x => q (at_ x)); split;
      [rewrite <- examples_length; exact (test_is_cut R l examples (fst default) q Hq) |].
    1: left. 2: right.
    all: split; [apply IH1 | apply IH2]; try (intros x Hx; apply filter_In in Hx as [Hx _]; apply HA, Hx).
    all: intros x Hx; apply filter_In in Hx as [Hx E]; specialize (H x Hx); cbn in H;
      destruct (q (at_ x)); auto; discriminate.
  Qed.

  Lemma few_pseudo_patterns s : 1 <= m -> pseudo_shattered V (threshold_test R l) s sample ->
    2 ^ m <= count l (fun M => M + 2) s (m - 1).
  Proof.
    intros Hm H. apply (all_patterns_few m _ (pattern l rank (seq 0 m) one_value s (seq 0 m))).
    - pose proof (structures_have_few_patterns l rank (seq 0 m) one_value (fun M => M + 2) one_value_incl
        one_value_bounded one_value_short one_value_few s (seq 0 m) (seq_NoDup m 0) (incl_refl _)) as F.
      rewrite seq_length in F. apply F. destruct m; [lia | discriminate].
    - intros y Ly Fy. destruct (H y Ly Fy) as (T & HT & E). apply (tree_pattern T); auto using incl_refl.
      intros x Hx. apply in_seq in Hx. rewrite <- E.
      rewrite (nth_indep _ 0 (if le V (predict T (fst default)) (snd default) then 0 else 1))
        by (rewrite map_length; unfold m in Hx; lia).
      rewrite (map_nth (fun p => if le V (predict T (fst p)) (snd p) then 0 else 1)).
        unfold at_, threshold, examples.
      now rewrite !map_nth.
  Qed.
End Upper.

(* ---- Counting ------------------------------------------------------------------------------------------------- *)

(* Powers of 2 + y, then of 1 + 4 l y, as binomial sums. *)
Definition leaves_part (j p M : nat) : nat := sum (S j) (fun q => binomial j q * 2 ^ (j - q) * binomial M (p +
  q)).

Lemma leaves_part_prefix j p M : sum M (leaves_part j p) = leaves_part j (S p) M.
Proof.
  unfold leaves_part. rewrite sum_swap. apply sum_ext. intros q _. rewrite sum_mul. now rewrite hockey_stick.
Qed.

Lemma leaves_part_b j M : leaves_part j 0 M = b 2 1 j M.
Proof. rewrite b_closed. unfold leaves_part, closed. apply sum_ext. intros q _. rewrite Nat.pow_1_l.
  cbn [Nat.add]. lia. Qed.

Definition parts (w i j M : nat) : nat := power w (leaves_part j) i M.

Lemma parts_0 w j M : parts w 0 j M = b 2 1 j M.
Proof. unfold parts, power. cbn [sum]. rewrite binomial_0. cbn [Nat.pow]. rewrite leaves_part_b. lia. Qed.

Lemma parts_step w i j M : parts w (S i) j M = parts w i j M + w * sum M (parts w i j).
Proof. apply power_step, leaves_part_prefix. Qed.

Lemma convolution_parts w i j h Q : (forall M, convolution (b 2 1 j) h M = sum M (Q 0)) ->
  (forall k M, Q (S k) M = Q k M + w * sum M (Q k)) ->
  forall M, convolution (parts w i j) h M = sum M (Q i).
Proof.
  intros H0 HS. induction i as [|i IH]; intros M.
  - rewrite <- H0. unfold convolution. apply sum_ext. intros. now rewrite parts_0.
  - rewrite (sum_ext M (Q (S i)) (fun x => Q i x + w * sum x (Q i))) by (intros; apply HS).
    rewrite sum_add, sum_mul, <- IH.
    rewrite (sum_ext M (fun x => sum x (Q i)) (convolution (parts w i j) h)) by (intros; now rewrite IH).
    rewrite <- convolution_prefix. unfold convolution. rewrite <- sum_mul, <- sum_add. apply sum_ext. intros.
    rewrite parts_step. lia.
Qed.

Lemma parts_product w i j i' j' M :
  convolution (parts w i j) (parts w i' j') M = sum M (parts w (i + i') (j + j')).
Proof.
  apply (convolution_parts w i j (parts w i' j') (fun k => parts w (k + i') (j + j'))); [| intros;
    apply parts_step].
  clear. intros M. cbn [Nat.add]. rewrite convolution_commutes.
  apply (convolution_parts w i' j' (b 2 1 j) (fun k => parts w k (j + j'))); [| intros; apply parts_step].
  intros M'. rewrite convolution_b. apply sum_ext. intros. rewrite parts_0. f_equal. lia.
Qed.

Lemma parts_large w i j M : 2 ^ j <= parts w i j M.
Proof.
  induction i as [|i IH]; [| rewrite parts_step; lia]. rewrite parts_0. induction j as [|j IH]; auto.
  cbn [b Nat.pow]. lia.
Qed.

Lemma count_values l s M :
  2 ^ internal_nodes s * count l (fun M => M + 2) s M <= parts (4 * l) (internal_nodes s) (S (internal_nodes
    s)) M.
Proof.
  revert M. induction s as [|a IHa c IHc]; intros M.
  { cbn [internal_nodes count Nat.pow]. rewrite parts_0. cbn [b]. rewrite sum_const. lia. }
  cbn [count internal_nodes]. set (Na := internal_nodes a) in *. set (Nc := internal_nodes c) in *.
  assert (C : 2 ^ (Na + Nc) * convolution (count l (fun M => M + 2) a) (count l (fun M => M + 2) c) M <=
    sum M (parts (4 * l) (Na + Nc) (S Na + S Nc))).
  { rewrite <- parts_product. unfold convolution. rewrite <- sum_mul. apply sum_le. intros x _.
    rewrite Nat.pow_add_r. specialize (IHa x). specialize (IHc (M - 1 - x)). cbv beta.
    apply Nat.mul_le_mono with (p := 2 ^ Nc * count l (fun M => M + 2) c (M - 1 - x)) (1 := IHa) in IHc. nia.
      }
  change (1 + Na + Nc) with (S (Na + Nc)). rewrite parts_step.
  replace (S Na + S Nc) with (S (S (Na + Nc))) in C by lia.
  pose proof (parts_large (4 * l) (Na + Nc) (S (S (Na + Nc))) M) as P. cbn [Nat.pow] in *. nia.
Qed.

Theorem pseudo_dimension_upper_bound :
  forall (R V : linear_order) (l : nat) (s : structure) (sample : list ((nat -> R) * V)),
  pseudo_shattered V (threshold_test R l) s sample -> 1 <= length sample ->
  2 ^ (length sample + internal_nodes s) <=
  sum (S (internal_nodes s)) (fun p => binomial (internal_nodes s) p * (4 * l) ^ p *
    sum (S (S (internal_nodes s))) (fun q => binomial (S (internal_nodes s)) q * 2 ^ (S (internal_nodes s) -
      q) *
      binomial (length sample - 1) (p + q))).
Proof.
  intros R V l s sample H Hm. destruct sample as [|d sample]; [cbn in Hm; lia |].
  assert (room : forall x, x < length (d :: sample) ->
    exists v, le V v (nth x (map snd (d :: sample)) (snd d)) = false).
  { intros x Hx. destruct (H (repeat 1 (length (d :: sample)))) as (T & _ & E).
    { apply repeat_length. } { apply Forall_forall. intros c Hc. apply repeat_spec in Hc. lia. }
    exists (predict T (fst (nth x (d :: sample) d))). rewrite map_nth.
    apply (f_equal (fun L => nth x L 1)) in E. rewrite nth_repeat in E.
    rewrite (nth_indep _ 1 (if le V (predict T (fst d)) (snd d) then 0 else 1)) in E by (rewrite map_length;
      lia).
    rewrite (map_nth (fun p => if le V (predict T (fst p)) (snd p) then 0 else 1)) in E.
    destruct (le V (predict T (fst (nth x (d :: sample) d))) (snd (nth x (d :: sample) d))); auto.
      discriminate. }
  pose proof (few_pseudo_patterns R V l (d :: sample) d room s Hm H) as F.
  rewrite Nat.pow_add_r, Nat.mul_comm. etransitivity; [apply Nat.mul_le_mono_l, F |].
  etransitivity; [apply count_values |]. apply Nat.le_refl.
Qed.
