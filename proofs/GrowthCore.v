(* GrowthCore: the counting argument behind the growth bounds, for examples that are numbered points and features
   that are ranks. GrowthBound.v carries it over to decision trees on features with values in a linear order.

   In words: let b_N(m) = sum_j C(N, j) (1 + 2 n S)^(N - j) (2 (n - 1) l)^j C(m - 1, j). A structure with N >= 1
   internal nodes realizes at most n (b_(N-1)(m) + b_N(m)) / 2 labelings of m >= 1 points, where l orders can be cut
   anywhere and S further partitions are given. *)

From Coq Require Import List Arith Lia Permutation Sorted.
From Treebounds Require Import Definitions Counting.
Import ListNotations.

(* ---- Sorting by a key ---------------------------------------------------------------------------------------- *)

Section Sorting.
  Variable key : nat -> nat.

  Fixpoint insert (x : nat) (p : list nat) : list nat :=
    match p with [] => [x] | y :: p' => if key x <=? key y then x :: p else y :: insert x p' end.

  Definition sort (A : list nat) : list nat := fold_right insert [] A.

  Lemma insert_permutation x p : Permutation (x :: p) (insert x p).
  Proof.
    induction p as [|y p IH]; cbn; auto. destruct (key x <=? key y); auto.
    rewrite perm_swap. now constructor.
  Qed.

  Lemma sort_permutation A : Permutation A (sort A).
  Proof. induction A; cbn; auto. rewrite <- insert_permutation. now constructor. Qed.

  Definition before x y := key x <= key y.

  Lemma insert_sorted x p : StronglySorted before p -> StronglySorted before (insert x p).
  Proof.
    induction 1 as [|y p HS IH F]; cbn. { repeat constructor. }
    destruct (Nat.leb_spec (key x) (key y)) as [H | H].
    - repeat constructor; auto. eapply Forall_impl; [| apply F]. unfold before. intros; lia.
    - constructor; auto. rewrite Forall_forall. intros z Hz.
      apply (Permutation_in z (Permutation_sym (insert_permutation x p))) in Hz. destruct Hz as [-> | Hz].
      + unfold before. lia.
      + rewrite Forall_forall in F. auto.
  Qed.

  Lemma sort_sorted A : StronglySorted before (sort A).
  Proof. induction A; cbn. constructor. now apply insert_sorted. Qed.

  Lemma threshold_is_prefix p t : StronglySorted before p ->
    exists k, k <= length p /\ (forall x, In x (firstn k p) -> key x < t) /\ (forall x, In x (skipn k p) -> t <= key x).
  Proof.
    induction 1 as [|y p HS (k & Hk & H1 & H2) F]. { exists 0. cbn. intuition. }
    destruct (le_lt_dec t (key y)).
    - exists 0. cbn. split; [lia | split; [tauto |]]. intros x [-> | Hx]; auto.
      rewrite Forall_forall in F. specialize (F _ Hx). unfold before in F. lia.
    - exists (S k). cbn. split; [lia | split; auto]. intros x [-> | Hx]; auto.
  Qed.
End Sorting.

(* ---- Few labelings -------------------------------------------------------------------------------------------- *)

Definition agree (A : list nat) (f g : nat -> nat) : Prop := forall x, In x A -> f x = g x.

(* At most K labelings of A have the property P. *)
Definition few (A : list nat) (K : nat) (P : (nat -> nat) -> Prop) : Prop :=
  exists E, length E <= K /\ forall f, P f -> exists g, In g E /\ agree A f g.

Lemma few_weaken A K K' (P P' : _ -> Prop) : few A K P -> K <= K' -> (forall f, P' f -> P f) -> few A K' P'.
Proof. intros (E & HE & H) ? ?. exists E. split; [lia | auto]. Qed.

Lemma few_or A K K' (P P' : _ -> Prop) : few A K P -> few A K' P' -> few A (K + K') (fun f => P f \/ P' f).
Proof.
  intros (E & HE & H) (E' & HE' & H'). exists (E ++ E'). rewrite app_length. split; [lia |].
  intros f [Hf | Hf]; [destruct (H f Hf) as (g & ? & ?) | destruct (H' f Hf) as (g & ? & ?)];
    exists g; rewrite in_app_iff; auto.
Qed.

Lemma few_sum A K F (P : nat -> _ -> Prop) :
  (forall i, i < K -> few A (F i) (P i)) -> few A (sum K F) (fun f => exists i, i < K /\ P i f).
Proof.
  induction K; intros H. { exists []. cbn. split; auto. intros f (i & Hi & _). lia. }
  cbn. eapply few_weaken; [apply few_or; [apply IHK; auto | apply (H K); auto] | auto |].
  intros f (i & Hi & Hf). destruct (Nat.eq_dec i K) as [-> |]; auto. left. exists i. split; auto; lia.
Qed.

Lemma few_list {X} A (L : list X) K (P : X -> _ -> Prop) :
  (forall q, In q L -> few A K (P q)) -> few A (length L * K) (fun f => exists q, In q L /\ P q f).
Proof.
  induction L as [|q L IH]; intros H. { exists []. cbn. split; auto. intros f (q & [] & _). }
  cbn. eapply few_weaken; [apply few_or; [apply (H q); cbn; auto | apply IH; intros; apply H; cbn; auto] | auto |].
  intros f (r & [-> | Hr] & Hf); eauto.
Qed.

Definition member (P : list nat) (x : nat) : bool := existsb (Nat.eqb x) P.

Lemma member_spec P x : member P x = true <-> In x P.
Proof.
  unfold member. rewrite existsb_exists. split.
  - intros (y & Hy & E). apply Nat.eqb_eq in E. now subst.
  - intros H. exists x. rewrite Nat.eqb_refl. auto.
Qed.

Definition glue (P : list nat) (g h : nat -> nat) (x : nat) : nat := if member P x then g x else h x.

Lemma agree_glue A P Q f g h :
  (forall x, In x A -> In x P \/ In x Q) -> agree P f g -> agree Q f h -> agree A f (glue P g h).
Proof.
  intros HA H1 H2 x Hx. unfold glue. destruct (member P x) eqn:E.
  - apply member_spec in E. auto.
  - destruct (HA x Hx) as [HP | HQ]; auto. apply member_spec in HP. congruence.
Qed.

Lemma few_product A P Q K K' (R R' : _ -> Prop) : (forall x, In x A -> In x P \/ In x Q) ->
  few P K R -> few Q K' R' -> few A (K * K') (fun f => R f /\ R' f).
Proof.
  intros HA (E & HE & H) (E' & HE' & H').
  exists (flat_map (fun g => map (glue P g) E') E). split.
  - rewrite (flat_map_length_constant (length E')); [nia |]. intros. apply map_length.
  - intros f (Hf & Hf'). destruct (H f Hf) as (g & Hg & Ag). destruct (H' f Hf') as (h & Hh & Ah).
    exists (glue P g h). split; [| eapply agree_glue; eauto].
    apply in_flat_map. exists g. split; auto. now apply in_map.
Qed.

(* All labels but v. *)
Definition others (n v : nat) : list nat := map (fun c => if c <? v then c else S c) (seq 0 (n - 1)).

Lemma others_length n v : length (others n v) = n - 1.
Proof. unfold others. now rewrite map_length, seq_length. Qed.

Lemma others_spec n v c : v < n -> c < n -> c <> v -> In c (others n v).
Proof.
  intros. apply in_map_iff. destruct (lt_dec c v).
  - exists c. destruct (Nat.ltb_spec c v); [| lia]. split; auto. apply in_seq. lia.
  - exists (c - 1). destruct (Nat.ltb_spec (c - 1) v); [lia |]. split; [lia |]. apply in_seq. lia.
Qed.

Definition constant_on (n : nat) (P : list nat) (f : nat -> nat) : Prop := exists c, c < n /\ forall x, In x P -> f x = c.

Lemma few_constant n P : few P n (constant_on n P).
Proof.
  exists (map (fun c _ => c) (seq 0 n)). rewrite map_length, seq_length. split; auto.
  intros f (c & Hc & Hf). exists (fun _ => c). split; [| intros x Hx; auto].
  apply in_map_iff. exists c. split; auto. apply in_seq. lia.
Qed.

(* One side gets a single label, which differs from the label of a given example of the other side. *)
Lemma few_leaf A P Q n x K (R : _ -> Prop) : (forall y, In y A -> In y P \/ In y Q) -> In x Q -> few Q K R ->
  few A ((n - 1) * K) (fun f => R f /\ f x < n /\ exists c, c < n /\ c <> f x /\ forall y, In y P -> f y = c).
Proof.
  intros HA Hx (E & HE & H).
  exists (flat_map (fun g => map (fun c => glue P (fun _ => c) g) (others n (g x))) E). split.
  - rewrite (flat_map_length_constant (n - 1)); [nia |]. intros. now rewrite map_length, others_length.
  - intros f (Hf & Hfx & c & Hc & Hcx & HP). destruct (H f Hf) as (g & Hg & Ag).
    exists (glue P (fun _ => c) g). split.
    + apply in_flat_map. exists g. split; auto. apply in_map_iff. exists c. split; auto.
      rewrite <- (Ag x Hx). apply others_spec; auto.
    + apply (agree_glue A P Q); auto.
Qed.

(* ---- Labelings realized on points ------------------------------------------------------------------------------ *)

Section Core.
  Variables n l : nat.
  Hypothesis n_classes : 2 <= n.
  Variable rank : nat -> nat -> nat.
  Variable finite : list (nat -> bool).
  Variable points : list nat.

  Definition ordered_cut (q : nat -> bool) : Prop :=
    exists i t, i < l /\ forall x, In x points -> q x = (rank i x <? t).

  Definition finite_cut (q : nat -> bool) : Prop := exists p, In p finite /\ forall x, In x points -> q x = p x.

  Definition part (q : nat -> bool) (A : list nat) : list nat := filter q A.
  Definition rest (q : nat -> bool) (A : list nat) : list nat := filter (fun x => negb (q x)) A.

  Fixpoint labels (s : structure) (A : list nat) (f : nat -> nat) : Prop :=
    match s with
    | leaf => constant_on n A f
    | node a b => exists q, (ordered_cut q \/ finite_cut q) /\
        ((labels a (part q A) f /\ labels b (rest q A) f) \/ (labels b (part q A) f /\ labels a (rest q A) f))
    end.

  Lemma part_or_rest q A x : In x A -> In x (part q A) \/ In x (rest q A).
  Proof. unfold part, rest. rewrite !filter_In. destruct (q x); cbn; auto. Qed.

  Lemma part_incl q A B : incl A B -> incl (part q A) (part q B).
  Proof. unfold part. intros H x. rewrite !filter_In. intuition. Qed.

  Lemma rest_incl q A B : incl A B -> incl (rest q A) (rest q B).
  Proof. unfold rest. intros H x. rewrite !filter_In. intuition. Qed.

  Lemma labels_incl s A B f : incl A B -> labels s B f -> labels s A f.
  Proof.
    revert A B. induction s as [|a IHa b IHb]; intros A B H.
    - intros (c & Hc & Hf). exists c. auto.
    - intros (q & Hq & HB). exists q. split; auto.
      destruct HB as [[? ?] | [? ?]]; [left | right]; split; eauto using part_incl, rest_incl.
  Qed.

  Lemma labels_bounded s A f x : labels s A f -> In x A -> f x < n.
  Proof.
    revert A. induction s as [|a IHa b IHb]; intros A.
    - intros (c & Hc & Hf) Hx. now rewrite Hf.
    - intros (q & _ & HB) Hx. destruct (part_or_rest q A x Hx), HB as [[? ?] | [? ?]]; eauto.
  Qed.

  (* If there is an order, any structure realizes any label of a single point. *)
  Lemma labels_short s B f : length B <= 1 -> (forall x, In x B -> f x < n) -> 1 <= l -> labels s B f.
  Proof.
    intros HB Hf Hl. induction s as [|a IHa b IHb].
    - destruct B as [|x [|y B]]; cbn in HB; [| | lia].
      + exists 0. split; [lia | intros ? []].
      + exists (f x). split; [apply Hf; cbn; auto |]. intros y [-> | []]. auto.
    - exists (fun y => rank 0 y <? 0). split. { left. exists 0, 0. auto. }
      left. split; (eapply labels_incl; [| eassumption]); intros x Hx; apply filter_In in Hx; tauto.
  Qed.

  (* The points of A in the order of feature i. *)
  Definition order (i : nat) (A : list nat) : list nat := sort (rank i) A.

  Lemma order_in i A x : In x (order i A) <-> In x A.
  Proof. split; apply Permutation_in; [symmetry|]; apply sort_permutation. Qed.

  Lemma order_length i A : length (order i A) = length A.
  Proof. symmetry. apply Permutation_length, sort_permutation. Qed.

  Lemma cut_order q A : ordered_cut q -> incl A points ->
    exists i k, i < l /\ k <= length A /\ incl (firstn k (order i A)) (part q A) /\ incl (skipn k (order i A)) (rest q A).
  Proof.
    intros (i & t & Hi & Hq) HA.
    destruct (threshold_is_prefix (rank i) _ t (sort_sorted (rank i) A)) as (k & Hk & H1 & H2).
    exists i, k. repeat split; auto. { change (sort (rank i) A) with (order i A) in Hk. now rewrite order_length in Hk. }
    - intros x Hx. assert (Hx' : In x A). { apply (order_in i). rewrite <- (firstn_skipn k), in_app_iff. auto. }
      apply filter_In. split; auto. rewrite Hq by auto. apply Nat.ltb_lt. auto.
    - intros x Hx. assert (Hx' : In x A). { apply (order_in i). rewrite <- (firstn_skipn k), in_app_iff. auto. }
      apply filter_In. split; auto. rewrite Hq by auto. destruct (Nat.ltb_spec (rank i x) t); auto.
      specialize (H2 _ Hx). lia.
  Qed.

  Lemma firstn_or_skipn i k A x : In x A -> In x (firstn k (order i A)) \/ In x (skipn k (order i A)).
  Proof. intros. rewrite <- in_app_iff, firstn_skipn, order_in. auto. Qed.

  Lemma firstn_order_incl i k A : incl (firstn k (order i A)) A.
  Proof. intros x Hx. apply (order_in i). rewrite <- (firstn_skipn k), in_app_iff. auto. Qed.

  Lemma skipn_order_incl i k A : incl (skipn k (order i A)) A.
  Proof. intros x Hx. apply (order_in i). rewrite <- (firstn_skipn k), in_app_iff. auto. Qed.

  Lemma order_NoDup i A : NoDup A -> NoDup (order i A).
  Proof. apply Permutation_NoDup, sort_permutation. Qed.


  (* A cut of an order leaves nothing empty, or the labeling is constant. *)
  Lemma proper_cut a b i k A f : i < l -> k <= length A -> A <> [] -> (forall x, In x A -> f x < n) ->
    labels a (firstn k (order i A)) f -> labels b (skipn k (order i A)) f ->
    constant_on n A f \/
    exists x, x < length A - 1 /\ labels a (firstn (S x) (order i A)) f /\ labels b (skipn (S x) (order i A)) f.
  Proof.
    intros Hi Hk HA Hf H1 H2. pose proof (order_length i A) as HL.
    destruct (Nat.eq_dec (length A) 1) as [H | H].
    { left. destruct A as [|x [|y A]]; try discriminate. exists (f x).
      split; [apply Hf; cbn; auto |]. intros y [-> | []]; auto. }
    assert (2 <= length A) by (destruct A; cbn in *; [easy | lia]). right.
    destruct (Nat.eq_dec k 0) as [-> | K0]; [| destruct (Nat.eq_dec k (length A)) as [-> | K1]].
    - exists 0. split; [lia |]. split.
      + apply labels_short; [rewrite firstn_length; lia | | lia]. intros x Hx. apply firstn_order_incl in Hx. auto.
      + eapply labels_incl; [| exact H2]. intros x Hx. apply skipn_order_incl in Hx. apply order_in. exact Hx.
    - exists (length A - 2). replace (S (length A - 2)) with (length A - 1) by lia. split; [lia |]. split.
      + eapply labels_incl; [| exact H1]. rewrite <- HL, firstn_all.
        intros x Hx. apply order_in. eapply firstn_order_incl. exact Hx.
      + apply labels_short; [rewrite skipn_length; lia | | lia]. intros x Hx. apply skipn_order_incl in Hx. auto.
    - exists (k - 1). replace (S (k - 1)) with k by lia. repeat split; auto. lia.
  Qed.

  (* K, a function of the number of points minus one, bounds the number of labelings of "s". *)
  Definition bounded (s : structure) (K : nat -> nat) : Prop :=
    forall A, NoDup A -> incl A points -> A <> [] -> few A (K (length A - 1)) (labels s A).

  Lemma few_cuts a b Ka Kb i A : bounded a Ka -> bounded b Kb -> NoDup A -> incl A points ->
    few A (convolution Ka Kb (length A - 1)) (fun f =>
      exists x, x < length A - 1 /\ labels a (firstn (S x) (order i A)) f /\ labels b (skipn (S x) (order i A)) f).
  Proof.
    intros Ba Bb ND HA. unfold convolution. apply few_sum. intros x Hx.
    pose proof (order_length i A) as HL. pose proof (order_NoDup i A ND) as HN.
    apply few_product with (P := firstn (S x) (order i A)) (Q := skipn (S x) (order i A)).
    - intros. now apply firstn_or_skipn.
    - eapply few_weaken; [apply Ba | |]; auto.
      + rewrite <- (firstn_skipn (S x)) in HN. now apply NoDup_app_parts in HN.
      + intros y Hy. apply HA. eapply firstn_order_incl, Hy.
      + intros E. apply (f_equal (@length nat)) in E. rewrite firstn_length in E. cbn [length] in E. lia.
      + rewrite firstn_length. replace (Nat.min (S x) (length (order i A)) - 1) with x by lia. lia.
    - eapply few_weaken; [apply Bb | |]; auto.
      + rewrite <- (firstn_skipn (S x)) in HN. now apply NoDup_app_parts in HN.
      + intros y Hy. apply HA. eapply skipn_order_incl, Hy.
      + intros E. apply (f_equal (@length nat)) in E. rewrite skipn_length in E. cbn [length] in E. lia.
      + rewrite skipn_length. replace (length (order i A) - S x - 1) with (length A - 1 - 1 - x) by lia. lia.
  Qed.

  (* A fixed partition: at most 2 Y labelings, if Y bounds the products and the two subtrees alone. *)
  Lemma part_rest_length q A : length (part q A) + length (rest q A) = length A.
  Proof. unfold part, rest. induction A as [|x A IH]; cbn; auto. destruct (q x); cbn; lia. Qed.

  Lemma few_partition a b Ka Kb Y q A : bounded a Ka -> bounded b Kb -> NoDup A -> incl A points -> A <> [] ->
    (forall x y, x + y <= length A - 1 -> Ka x * Kb y <= Y) ->
    Ka (length A - 1) <= Y -> Kb (length A - 1) <= Y ->
    few A (2 * Y) (fun f => (labels a (part q A) f /\ labels b (rest q A) f)
                         \/ (labels b (part q A) f /\ labels a (rest q A) f)).
  Proof.
    intros Ba Bb ND HA NE HY HYa HYb.
    assert (Hp : incl (part q A) A) by (intros x Hx; apply filter_In in Hx; tauto).
    assert (Hr : incl (rest q A) A) by (intros x Hx; apply filter_In in Hx; tauto).
    pose proof (part_rest_length q A) as HL.
    destruct (part q A) as [|x P] eqn:EP; [| destruct (rest q A) as [|y Q] eqn:EQ].
    - assert (E : incl A (rest q A)). { intros x Hx. destruct (part_or_rest q A x Hx) as [H | H]; auto. rewrite EP in H. destruct H. }
      eapply few_weaken; [apply few_or; [apply (Ba A) | apply (Bb A)]; auto | lia |].
      intros f [[_ H] | [_ H]]; [right | left]; eapply labels_incl; eauto.
    - assert (E : incl A (part q A)). { intros z Hx. destruct (part_or_rest q A z Hx) as [H | H]; auto. rewrite EQ in H. destruct H. }
      rewrite EP in E.
      eapply few_weaken; [apply few_or; [apply (Ba A) | apply (Bb A)]; auto | lia |].
      intros f [[H _] | [H _]]; [left | right]; eapply labels_incl; eauto.
    - assert (NP : NoDup (x :: P)) by (rewrite <- EP; apply NoDup_filter; auto).
      assert (NQ : NoDup (y :: Q)) by (rewrite <- EQ; apply NoDup_filter; auto).
      assert (C : forall z, In z A -> In z (x :: P) \/ In z (y :: Q)).
      { intros z Hz. rewrite <- EP, <- EQ. now apply part_or_rest. }
      replace (2 * Y) with (Y + Y) by lia. apply few_or.
      + eapply few_weaken; [apply (few_product A (x :: P) (y :: Q)); [exact C | apply Ba | apply Bb] | |];
          eauto using incl_tran; try discriminate. apply HY. cbn [length] in *. lia.
      + eapply few_weaken; [apply (few_product A (x :: P) (y :: Q)); [exact C | apply Bb | apply Ba] | |];
          eauto using incl_tran; try discriminate. rewrite Nat.mul_comm. apply HY. cbn [length] in *. lia.
  Qed.

  Lemma finite_cut_labels q A : finite_cut q -> incl A points ->
    exists p, In p finite /\ part q A = part p A /\ rest q A = rest p A.
  Proof.
    intros (p & Hp & Hq) HA. exists p. split; auto. unfold part, rest. split; apply filter_ext_in; intros x Hx.
    - auto. - rewrite Hq; auto.
  Qed.

  (* A node with any two subtrees. *)
  Lemma few_node a b Ka Kb Y A : bounded a Ka -> bounded b Kb -> NoDup A -> incl A points -> A <> [] ->
    (forall x y, x + y <= length A - 1 -> Ka x * Kb y <= Y) ->
    Ka (length A - 1) <= Y -> Kb (length A - 1) <= Y ->
    few A (n + (l * (2 * convolution Ka Kb (length A - 1)) + length finite * (2 * Y))) (labels (node a b) A).
  Proof.
    intros Ba Bb ND HA NE HY HYa HYb.
    eapply few_weaken with (K := n + (sum l (fun _ => 2 * convolution Ka Kb (length A - 1)) + length finite * (2 * Y))).
    - apply few_or; [apply few_constant | apply few_or].
      + apply few_sum. intros i Hi.
        replace (2 * convolution Ka Kb (length A - 1)) with
          (convolution Ka Kb (length A - 1) + convolution Kb Ka (length A - 1))
          by (rewrite (convolution_commutes Kb); lia).
        apply few_or; [apply (few_cuts a b Ka Kb i) | apply (few_cuts b a Kb Ka i)]; auto.
      + apply few_list. intros q Hq. apply (few_partition a b Ka Kb Y q A); auto.
    - rewrite sum_const. reflexivity.
    - intros f Hf. assert (Hb : forall x, In x A -> f x < n) by (intros x; eapply labels_bounded; eauto).
      destruct Hf as (q & [Hq | Hq] & Hf).
      + destruct (cut_order q A Hq HA) as (i & k & Hi & Hk & H1 & H2).
        destruct Hf as [[Hp Hr] | [Hp Hr]].
        * destruct (proper_cut a b i k A f Hi Hk NE Hb (labels_incl _ _ _ _ H1 Hp) (labels_incl _ _ _ _ H2 Hr)); auto.
          right. left. exists i. split; auto.
        * destruct (proper_cut b a i k A f Hi Hk NE Hb (labels_incl _ _ _ _ H1 Hp) (labels_incl _ _ _ _ H2 Hr)); auto.
          right. left. exists i. split; auto.
      + destruct (finite_cut_labels q A Hq HA) as (p & Hp & E1 & E2). rewrite E1, E2 in Hf.
        right. right. exists p. auto.
  Qed.

  (* A stump: two sides with different labels. *)
  Lemma few_stump A : NoDup A -> incl A points -> A <> [] ->
    few A (n + (l * ((length A - 1) * ((n - 1) * n)) + length finite * (n * n))) (labels (node leaf leaf) A).
  Proof.
    intros ND HA NE.
    eapply few_weaken with (K := n + (sum l (fun _ => sum (length A - 1) (fun _ => (n - 1) * n)) + length finite * (n * n))).
    - apply few_or; [apply few_constant | apply few_or].
      + apply few_sum. intros i Hi. apply few_sum. intros x Hx.
        apply (few_leaf A (firstn (S x) (order i A)) (skipn (S x) (order i A)) n (hd 0 (skipn (S x) (order i A))));
          [| | apply few_constant].
        * intros. now apply firstn_or_skipn.
        * pose proof (order_length i A). pose proof (skipn_length (S x) (order i A)).
          destruct (skipn (S x) (order i A)); cbn in *; [lia | auto].
      + apply few_list. intros q Hq. apply (few_product A (part q A) (rest q A));
          [intros; now apply part_or_rest | apply few_constant | apply few_constant].
    - rewrite !sum_const. reflexivity.
    - intros f Hf. assert (Hb : forall x, In x A -> f x < n) by (intros x; eapply labels_bounded; eauto).
      destruct Hf as (q & [Hq | Hq] & Hf).
      + destruct (cut_order q A Hq HA) as (i & k & Hi & Hk & H1 & H2).
        assert (H : labels leaf (part q A) f /\ labels leaf (rest q A) f) by tauto. destruct H as [Hp Hr].
        destruct (proper_cut leaf leaf i k A f Hi Hk NE Hb (labels_incl _ _ _ _ H1 Hp) (labels_incl _ _ _ _ H2 Hr))
          as [C | (x & Hx & P1 & P2)]; auto.
        destruct P1 as (c & Hc & P1), P2 as (c' & Hc' & P2).
        destruct (Nat.eq_dec c c') as [-> | D].
        * left. exists c'. split; auto. intros y Hy. destruct (firstn_or_skipn i (S x) A y Hy); auto.
        * right. left. exists i. split; auto. exists x. split; auto. split; [exists c'; auto |].
          assert (E : f (hd 0 (skipn (S x) (order i A))) = c').
          { apply P2. pose proof (order_length i A). pose proof (skipn_length (S x) (order i A)).
            destruct (skipn (S x) (order i A)); cbn in *; [lia | auto]. }
          rewrite E. split; auto. exists c. auto.
      + destruct (finite_cut_labels q A Hq HA) as (p & Hp & E1 & E2). rewrite E1, E2 in Hf.
        right. right. exists p. cbn in Hf. tauto.
  Qed.

  (* A node with one leaf: the leaf takes as many examples of an order as it can; the next has another label. *)
  Lemma greedy_leaf s p f : forall k c, k <= length p -> p <> [] -> (forall x, In x p -> f x < n) ->
    c < n -> (forall x, In x (firstn k p) -> f x = c) -> labels s (skipn k p) f ->
    constant_on n p f \/
    exists x, x < length p - 1 /\ labels s (skipn (S x) p) f /\ f (hd 0 (skipn (S x) p)) < n /\
      exists c, c < n /\ c <> f (hd 0 (skipn (S x) p)) /\ forall y, In y (firstn (S x) p) -> f y = c.
  Proof.
    intros k. remember (length p - k) as j. revert k Heqj. induction j; intros k Hj c Hk NE Hb Hc H1 H2.
    - left. exists c. split; auto. intros x Hx. apply H1. now rewrite firstn_all2 by lia.
    - assert (E : skipn k p = nth k p 0 :: skipn (S k) p).
      { clear - Hj. assert (H : k < length p) by lia. clear Hj. revert k H. induction p; intros [|k] H; cbn in *; try lia; auto.
        apply IHp. lia. }
      assert (E' : firstn (S k) p = firstn k p ++ [nth k p 0]).
      { clear - Hj. assert (H : k < length p) by lia. clear Hj. revert k H. induction p; intros [|k] H; cbn in *; try lia; auto.
        f_equal. apply IHp. lia. }
      assert (Hx : f (nth k p 0) < n) by (apply Hb, nth_In; lia).
      assert (Step : (forall x, In x (firstn (S k) p) -> f x = f (nth k p 0)) -> _) by
        (intros HS; apply (IHj (S k)) with (c := f (nth k p 0)); auto; try lia;
         eapply labels_incl; [| exact H2]; rewrite E; intros y; cbn; auto).
      destruct k.
      + apply Step. rewrite E'. cbn. intros x [<- | []]. auto.
      + destruct (Nat.eq_dec (f (nth (S k) p 0)) c) as [Ec | Ec].
        * apply Step. rewrite E'. intros x Hx'. apply in_app_iff in Hx' as [Hx' | [<- | []]]; auto.
          rewrite Ec. auto.
        * right. exists k. split; [lia |]. split; auto. rewrite E. cbn [hd]. split; auto.
          exists c. repeat split; auto.
  Qed.

  Lemma few_greedy s K p A : bounded s K -> NoDup p -> incl A points -> (forall x, In x p <-> In x A) -> length p = length A ->
    few A (sum (length A - 1) (fun x => (n - 1) * K (length A - 1 - 1 - x)))
      (fun f => exists x, x < length A - 1 /\ labels s (skipn (S x) p) f /\ f (hd 0 (skipn (S x) p)) < n /\
      exists c, c < n /\ c <> f (hd 0 (skipn (S x) p)) /\ forall y, In y (firstn (S x) p) -> f y = c).
  Proof.
    intros Bs ND HA Hp HL. apply few_sum. intros x Hx.
    apply (few_leaf A (firstn (S x) p) (skipn (S x) p)).
    - intros y Hy. rewrite <- in_app_iff, firstn_skipn. now apply Hp.
    - pose proof (skipn_length (S x) p). destruct (skipn (S x) p); cbn in *; [lia | auto].
    - pose proof (skipn_length (S x) p) as H. replace (length A - 1 - 1 - x) with (length (skipn (S x) p) - 1) by lia.
      apply Bs.
      + rewrite <- (firstn_skipn (S x)) in ND. now apply NoDup_app_parts in ND.
      + intros y Hy. apply HA, Hp. rewrite <- (firstn_skipn (S x)), in_app_iff. auto.
      + intros E. rewrite E in H. cbn in H. lia.
  Qed.

  Lemma few_leaf_node s K Y A : bounded s K -> NoDup A -> incl A points -> A <> [] ->
    (forall y, y <= length A - 1 -> n * K y <= Y) -> n <= Y ->
    few A (n + (l * (2 * sum (length A - 1) (fun x => (n - 1) * K (length A - 1 - 1 - x))) + length finite * (2 * Y)))
      (labels (node leaf s) A).
  Proof.
    intros Bs ND HA NE HY Hn.
    assert (Bl : bounded leaf (fun _ => n)) by (intros B _ _ _; apply few_constant).
    eapply few_weaken with (K := n + (sum l (fun _ => 2 * sum (length A - 1) (fun x => (n - 1) * K (length A - 1 - 1 - x)))
       + length finite * (2 * Y))).
    - apply few_or; [apply few_constant | apply few_or].
      + apply few_sum. intros i Hi. cbn [Nat.mul]. rewrite Nat.add_0_r. apply few_or.
        * apply (few_greedy s K (order i A)); auto using order_NoDup, order_length. intros; apply order_in.
        * apply (few_greedy s K (rev (order i A))); auto using NoDup_rev, order_NoDup.
          { intros. rewrite <- in_rev. apply order_in. } { now rewrite rev_length, order_length. }
      + apply few_list. intros q Hq. apply (few_partition leaf s (fun _ => n) K Y q A); auto.
        intros x y Hxy. apply HY. lia. specialize (HY (length A - 1)). nia.
    - rewrite sum_const. reflexivity.
    - intros f Hf. assert (Hb : forall x, In x A -> f x < n) by (intros x; eapply labels_bounded; eauto).
      destruct Hf as (q & [Hq | Hq] & Hf).
      + destruct (cut_order q A Hq HA) as (i & k & Hi & Hk & H1 & H2).
        pose proof (order_length i A) as HL.
        assert (NO : order i A <> []). { intros E. rewrite E in HL. destruct A; easy. }
        assert (Hb' : forall x, In x (order i A) -> f x < n) by (intros x Hx; apply Hb, (order_in i), Hx).
        assert (CO : constant_on n (order i A) f -> constant_on n A f).
        { intros (c & Hc & H). exists c. split; auto. intros x Hx. apply H, order_in, Hx. }
        destruct Hf as [[Hp Hr] | [Hp Hr]].
        * destruct Hp as (c & Hc & Hp).
          destruct (greedy_leaf s (order i A) f k c) as [C | C]; auto; [lia | eapply labels_incl; eauto |].
          right. left. exists i. split; auto. left. now rewrite <- HL.
        * destruct Hr as (c & Hc & Hr).
          destruct (greedy_leaf s (rev (order i A)) f (length A - k) c) as [C | C]; auto.
          { rewrite rev_length. lia. }
          { intros E. apply NO. rewrite <- (rev_involutive (order i A)), E. reflexivity. }
          { intros x Hx. apply Hb'. now apply in_rev. }
          { rewrite firstn_rev, HL. replace (length A - (length A - k)) with k by lia.
            intros x Hx. apply Hr, H2. now apply in_rev. }
          { rewrite skipn_rev, HL. replace (length A - (length A - k)) with k by lia.
            eapply labels_incl; [| exact Hp]. intros x Hx. apply H1. now apply in_rev. }
          { left. apply CO. destruct C as (c' & Hc' & C). exists c'. split; auto. intros x Hx. apply C. now apply in_rev in Hx. }
          rewrite rev_length, HL in C. right. left. exists i. auto.
      + destruct (finite_cut_labels q A Hq HA) as (p & Hp & E1 & E2). rewrite E1, E2 in Hf.
        right. right. exists p. auto.
  Qed.

  Lemma labels_mirror a b A f : labels (node a b) A f -> labels (node b a) A f.
  Proof. intros (q & Hq & H). exists q. tauto. Qed.

  (* ---- The bound ---------------------------------------------------------------------------------------------- *)

  Definition u := 1 + 2 * n * length finite.
  Definition w := 2 * (n - 1) * l.

  Definition twice (N M : nat) : nat := n * (b u w (N - 1) M + b u w N M).

  Definition node_bound (s : structure) (M : nat) : nat :=
    match s with leaf => n | _ => twice (internal_nodes s) M / 2 end.

  Lemma half_le x y : 2 * x <= y -> x <= y / 2.
  Proof. intros. apply Nat.div_le_lower_bound; lia. Qed.

  Lemma le_half x : 2 * (x / 2) <= x.
  Proof. apply Nat.mul_div_le. lia. Qed.

  Lemma u_positive : 1 <= u.
  Proof. unfold u. lia. Qed.

  Lemma sum_b N M : w * sum M (b u w N) + u * b u w N M = b u w (S N) M.
  Proof. cbn [b]. lia. Qed.

  Lemma b_1 M : b u w 0 M = 1.
  Proof. reflexivity. Qed.

  Lemma twice_monotone N x y : x <= y -> twice N x <= twice N y.
  Proof.
    intros H. unfold twice. apply Nat.mul_le_mono_l.
    apply Nat.add_le_mono; apply b_monotone_examples; auto.
  Qed.

  Lemma twice_large N M : 2 * n <= twice N M.
  Proof.
    unfold twice. pose proof (b_positive u w (N - 1) M u_positive). pose proof (b_positive u w N M u_positive). nia.
  Qed.

  (* A node with one leaf; N is the number of internal nodes of the other subtree. *)
  Lemma leaf_node_arithmetic N M : 1 <= N ->
    2 * (n + (l * (2 * sum M (fun x => (n - 1) * (twice N (M - 1 - x) / 2))) +
      length finite * (2 * (n * (twice N M / 2))))) <= twice (S N) M.
  Proof.
    intros HN.
    assert (H1 : 2 * sum M (fun x => (n - 1) * (twice N (M - 1 - x) / 2)) <= (n - 1) * (n * (sum M (b u w (N - 1)) + sum M (b u w N)))).
    { rewrite <- sum_add, <- !sum_mul. rewrite (sum_reverse M (fun i => (n - 1) * _)). apply sum_le. intros x Hx.
      pose proof (le_half (twice N (M - 1 - x))). unfold twice in *. nia. }
    pose proof (le_half (twice N M)) as H2.
    pose proof (sum_b (N - 1) M) as E1. pose proof (sum_b N M) as E2. replace (S (N - 1)) with N in E1 by lia.
    pose proof (b_positive u w (N - 1) M u_positive). pose proof (b_positive u w N M u_positive).
    remember (sum M (b u w (N - 1))) as s1. remember (sum M (b u w N)) as s2.
    remember (sum M (fun x => (n - 1) * (twice N (M - 1 - x) / 2))) as t.
    remember (twice N M / 2) as h. unfold twice in *. cbn [Nat.sub]. rewrite Nat.sub_0_r.
    remember (b u w (N - 1) M) as b0. remember (b u w N M) as b1. remember (b u w (S N) M) as b2.
    unfold u, w in E1, E2. clear - n_classes E1 E2 H1 H2 H H0.
    assert (A1 : 2 * (l * (2 * t)) <= n * (2 * (n - 1) * l * (s1 + s2))) by nia.
    assert (A2 : 2 * (length finite * (2 * (n * h))) <= n * (2 * n * length finite * (b0 + b1))) by nia.
    assert (A3 : 2 * (n - 1) * l * (s1 + s2) + 2 * n * length finite * (b0 + b1) + (b0 + b1) = b1 + b2) by lia.
    rewrite <- A3. clear - A1 A2 H H0. set (X := 2 * (n - 1) * l * (s1 + s2)) in *.
    set (Z := 2 * n * length finite * (b0 + b1)) in *. clearbody X Z.
    rewrite !Nat.mul_add_distr_l. assert (n * b0 + n * b1 >= 2 * n) by nia. lia.
  Qed.

  Lemma four_products i j x y : 4 * ((twice i x / 2) * (twice j y / 2)) <= twice i x * twice j y.
  Proof. pose proof (le_half (twice i x)). pose proof (le_half (twice j y)). nia. Qed.

  (* The product of the bounds of two subtrees, as a combination of the numbers b. *)
  Definition product (i j M : nat) : nat :=
    n * n * (b u w (i + j - 2) M + 2 * b u w (i + j - 1) M + b u w (i + j) M).

  Lemma twice_product i j x y M : 1 <= i -> 1 <= j -> x + y <= M -> twice i x * twice j y <= product i j M.
  Proof.
    intros Hi Hj HM. unfold twice, product.
    assert (P : forall p q, b u w p x * b u w q y <= b u w (p + q) M).
    { intros. etransitivity; [apply b_product | now apply b_monotone_examples]. }
    pose proof (P (i - 1) (j - 1)) as H1. replace (i - 1 + (j - 1)) with (i + j - 2) in H1 by lia.
    pose proof (P (i - 1) j) as H2. replace (i - 1 + j) with (i + j - 1) in H2 by lia.
    pose proof (P i (j - 1)) as H3. replace (i + (j - 1)) with (i + j - 1) in H3 by lia.
    pose proof (P i j) as H4.
    replace (n * (b u w (i - 1) x + b u w i x) * (n * (b u w (j - 1) y + b u w j y))) with
      (n * n * (b u w (i - 1) x * b u w (j - 1) y + b u w (i - 1) x * b u w j y
              + b u w i x * b u w (j - 1) y + b u w i x * b u w j y)) by ring.
    apply Nat.mul_le_mono_l. lia.
  Qed.

  Lemma convolution_twice i j M : 1 <= i -> 1 <= j ->
    convolution (twice i) (twice j) M =
    n * n * (sum M (b u w (i + j - 2)) + 2 * sum M (b u w (i + j - 1)) + sum M (b u w (i + j))).
  Proof.
    intros Hi Hj.
    pose proof (convolution_b u w (i - 1) (j - 1) M) as H1. replace (i - 1 + (j - 1)) with (i + j - 2) in H1 by lia.
    pose proof (convolution_b u w (i - 1) j M) as H2. replace (i - 1 + j) with (i + j - 1) in H2 by lia.
    pose proof (convolution_b u w i (j - 1) M) as H3. replace (i + (j - 1)) with (i + j - 1) in H3 by lia.
    pose proof (convolution_b u w i j M) as H4.
    rewrite <- H4, <- H1. replace (2 * sum M (b u w (i + j - 1))) with
      (convolution (b u w (i - 1)) (b u w j) M + convolution (b u w i) (b u w (j - 1)) M) by lia.
    unfold convolution. rewrite <- !sum_add, <- sum_mul. apply sum_ext. intros. unfold twice. ring.
  Qed.

  Lemma internal_arithmetic i j M : 1 <= i -> 1 <= j ->
    2 * (n + (l * (2 * convolution (fun x => twice i x / 2) (fun x => twice j x / 2) M)
      + length finite * (2 * (product i j M / 4)))) <= twice (i + j + 1) M.
  Proof.
    intros Hi Hj.
    assert (H1 : 4 * convolution (fun x => twice i x / 2) (fun x => twice j x / 2) M <= convolution (twice i) (twice j) M).
    { unfold convolution. rewrite <- sum_mul. apply sum_le. intros. apply four_products. }
    rewrite convolution_twice in H1 by auto.
    assert (H2 : 4 * (product i j M / 4) <= product i j M) by (apply Nat.mul_div_le; lia).
    pose proof (sum_b (i + j - 2) M) as E1. replace (S (i + j - 2)) with (i + j - 1) in E1 by lia.
    pose proof (sum_b (i + j - 1) M) as E2. replace (S (i + j - 1)) with (i + j) in E2 by lia.
    pose proof (sum_b (i + j) M) as E3. rewrite <- (Nat.add_1_r (i + j)) in E3.
    pose proof (b_positive u w (i + j - 2) M u_positive). pose proof (b_positive u w (i + j - 1) M u_positive).
    unfold product in H2 |- *. unfold twice. replace (i + j + 1 - 1) with (i + j) by lia.
    change (fun x : nat => n * (b u w (i - 1) x + b u w i x) / 2) with (fun x => twice i x / 2).
    change (fun x : nat => n * (b u w (j - 1) x + b u w j x) / 2) with (fun x => twice j x / 2).
    remember (convolution (fun x => twice i x / 2) (fun x => twice j x / 2) M) as c.
    remember (n * n * (b u w (i + j - 2) M + 2 * b u w (i + j - 1) M + b u w (i + j) M) / 4) as h.
    remember (sum M (b u w (i + j - 2))) as s0. remember (sum M (b u w (i + j - 1))) as s1. remember (sum M (b u w (i + j))) as s2.
    remember (b u w (i + j - 2) M) as b0. remember (b u w (i + j - 1) M) as b1. remember (b u w (i + j) M) as b2.
    remember (b u w (i + j + 1) M) as b3. unfold u, w in E1, E2, E3.
    clear - n_classes E1 E2 E3 H H0 H1 H2.
    remember (s0 + 2 * s1 + s2) as ss. remember (b0 + 2 * b1 + b2) as bb.
    assert (A3 : 2 * (n - 1) * l * ss + 2 * n * length finite * bb + b0 + b1 = b2 + b3) by (subst; lia).
    rewrite <- A3.
    assert (N2 : n * n <= 2 * n * (n - 1)).
    { clear - n_classes. rewrite (Nat.mul_comm 2 n), <- Nat.mul_assoc. apply Nat.mul_le_mono_l. lia. }
    clear E1 E2 E3 A3.
    assert (A1 : 4 * (l * (2 * c)) <= 2 * n * (2 * (n - 1) * l * ss)).
    { transitivity (2 * l * (n * n * ss)); [clear - H1; nia |]. transitivity (2 * l * (2 * n * (n - 1) * ss)); [| lia].
      apply Nat.mul_le_mono_l. now apply Nat.mul_le_mono_r. }
    assert (A2 : 4 * (length finite * (2 * h)) <= 2 * n * (2 * n * length finite * bb)).
    { transitivity (2 * length finite * (n * n * bb)); [clear - H2; nia | clear; nia]. }
    clear - A1 A2 H H0. set (X := 2 * (n - 1) * l * ss) in *. set (Z := 2 * n * length finite * bb) in *. clearbody X Z.
    rewrite !Nat.mul_add_distr_l. assert (n * b0 + n * b1 >= 2 * n) by nia. lia.
  Qed.

  Lemma bounded_labels s : bounded s (node_bound s).
  Proof.
    induction s as [|a IHa c IHc]; intros A ND HA NE. { apply few_constant. }
    assert (G : forall s', bounded s' (node_bound s') -> few A (node_bound (node leaf s') (length A - 1)) (labels (node leaf s') A)).
    { intros s' B'. destruct s' as [|a' c'].
      - eapply few_weaken; [apply few_stump; auto | | auto].
        cbn [node_bound internal_nodes]. apply half_le. unfold twice.
        replace (1 + 0 + 0) with 1 by reflexivity. change (1 - 1) with 0.
        pose proof (sum_b 0 (length A - 1)) as E. rewrite (sum_ext _ (b u w 0) (fun _ => 1)), sum_const in E by reflexivity.
        cbn [b] in *. unfold u, w in *. remember (length A - 1) as M. clear - E n_classes. nia.
      - remember (node a' c') as s'.
        assert (H1 : 1 <= internal_nodes s') by (subst; cbn; lia).
        assert (EB : forall M, node_bound s' M = twice (internal_nodes s') M / 2) by (subst; reflexivity).
        eapply few_weaken; [apply (few_leaf_node s' (node_bound s') (n * node_bound s' (length A - 1))); auto | | auto].
        + intros y Hy. apply Nat.mul_le_mono_l. rewrite !EB. apply Nat.div_le_mono; auto. now apply twice_monotone.
        + rewrite EB. pose proof (twice_large (internal_nodes s') (length A - 1)).
          assert (1 <= twice (internal_nodes s') (length A - 1) / 2) by (apply half_le; lia). nia.
        + cbn [node_bound internal_nodes]. apply half_le.
          replace (1 + 0 + internal_nodes s') with (S (internal_nodes s')) by lia.
          rewrite <- (leaf_node_arithmetic (internal_nodes s')) by auto. rewrite EB.
          rewrite (sum_ext _ (fun x => (n - 1) * node_bound s' _) (fun x => (n - 1) * (twice (internal_nodes s') (length A - 1 - 1 - x) / 2)))
            by (intros; now rewrite EB). reflexivity. }
    destruct a as [|a1 a2]. { now apply G. }
    destruct c as [|c1 c2].
    { eapply few_weaken; [apply (G (node a1 a2)); auto | | apply labels_mirror].
      cbn [node_bound internal_nodes]. replace (1 + 0 + (1 + internal_nodes a1 + internal_nodes a2)) with
        (1 + (1 + internal_nodes a1 + internal_nodes a2) + 0) by lia. auto. }
    remember (node a1 a2) as a. remember (node c1 c2) as c.
    assert (Ha : 1 <= internal_nodes a) by (subst; cbn; lia). assert (Hc : 1 <= internal_nodes c) by (subst; cbn; lia).
    assert (EA : forall M, node_bound a M = twice (internal_nodes a) M / 2) by (subst; reflexivity).
    assert (EC : forall M, node_bound c M = twice (internal_nodes c) M / 2) by (subst; reflexivity).
    set (Y := product (internal_nodes a) (internal_nodes c) (length A - 1) / 4).
    assert (HY : forall x y, x + y <= length A - 1 -> node_bound a x * node_bound c y <= Y).
    { intros x y Hxy. rewrite EA, EC. apply Nat.div_le_lower_bound; [lia |].
      etransitivity; [apply four_products | apply twice_product; auto]. }
    assert (L : forall i M, 1 <= twice i M / 2) by (intros; apply half_le; pose proof (twice_large i M); lia).
    eapply few_weaken; [apply (few_node a c (node_bound a) (node_bound c) Y); auto | | auto].
    - specialize (HY (length A - 1) 0). rewrite EC in HY. specialize (L (internal_nodes c) 0). nia.
    - specialize (HY 0 (length A - 1)). rewrite EA in HY. specialize (L (internal_nodes a) 0). nia.
    - cbn [node_bound internal_nodes]. apply half_le.
      replace (1 + internal_nodes a + internal_nodes c) with (internal_nodes a + internal_nodes c + 1) by lia.
      rewrite <- (internal_arithmetic (internal_nodes a) (internal_nodes c)) by auto.
      assert (E : convolution (node_bound a) (node_bound c) (length A - 1) =
        convolution (fun x => twice (internal_nodes a) x / 2) (fun x => twice (internal_nodes c) x / 2) (length A - 1)).
      { unfold convolution. apply sum_ext. intros. now rewrite EA, EC. }
      rewrite E. reflexivity.
  Qed.

  (* The bound in the weaker form of the book, which also holds for a leaf. *)
  Lemma few_labels s A : NoDup A -> incl A points -> A <> [] ->
    few A (n * b u w (internal_nodes s) (length A - 1)) (labels s A).
  Proof.
    intros ND HA NE. eapply few_weaken; [apply (bounded_labels s); auto | | auto].
    destruct s as [|a c]. { cbn [node_bound internal_nodes]. rewrite b_1. lia. }
    cbn [node_bound]. remember (internal_nodes (node a c)) as N. apply Nat.div_le_upper_bound; [lia |].
    unfold twice. assert (1 <= N) by (subst; cbn; lia).
    pose proof (b_monotone u w (N - 1) (length A - 1) u_positive) as H'. replace (S (N - 1)) with N in H' by lia. nia.
  Qed.
End Core.
