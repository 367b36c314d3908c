(* How close the Natarajan dimension is to the VC dimension (chapter "More on the VC dimension of trees").

   In words: think of the two classes of an example as an edge between them. If the classes can be colored with two
   colors so that both classes of every example but at most one have different colors, a sample that is shattered in
   the sense of Natarajan is also shattered with two classes. For stumps this is always so, whatever tests the nodes
   may use. On one feature a structure with N internal nodes shatters at most N + 1 examples in the sense of
   Natarajan. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound LowerBound Patterns Natarajan
  RegressionTrees OneFeature StumpBound.
Import ListNotations.

(* ---- One example away from bipartite --------------------------------------------------------------------------- *)

(* Every leaf gets another label. *)
Fixpoint relabeled {X} (recolor : nat -> nat) (T : decision_tree X) : decision_tree X :=
  match T with
  | Leaf c => Leaf (recolor c)
  | Node q T1 T2 => Node q (relabeled recolor T1) (relabeled recolor T2)
  end.

Lemma evaluate_relabeled {X} recolor (T : decision_tree X) x :
  evaluate (relabeled recolor T) x = recolor (evaluate T x).
Proof. induction T as [c | q T1 IH1 T2 IH2]; cbn; auto. destruct (q x); auto. Qed.

Lemma relabeled_structure {X} (allowed : test X -> Prop) n n' recolor T s : (forall c, recolor c < n') ->
  has_structure allowed n T s -> has_structure allowed n' (relabeled recolor T) s.
Proof.
  intros B. induction 1; cbn [relabeled]; [now constructor | now apply node_has | now apply node_has_mirrored].
Qed.

Theorem one_example_away_from_bipartite :
  forall (X : Type) (allowed : test X -> Prop) (n : nat) (s : structure) (sample : list X)
    (f0 f1 : nat -> nat) (color : nat -> bool) (left_out : nat),
  Natarajan_shattered_by allowed n s sample f0 f1 ->
  (forall i, i < length sample -> i <> left_out -> color (f0 i) <> color (f1 i)) ->
  shattered allowed s sample.
Proof.
  intros X allowed n s sample first second color z (_ & H) C y Ly Fy.
  (* the colors that the labels mean, exchanged if the example left out asks for it *)
  set (label := fun (swap : bool) c => if xorb swap (color c) then 1 else 0).
  assert (S : exists swap, label swap (first z) = nth z y 0 \/ label swap (second z) = nth z y 0 \/
    length sample <= z).
  { destruct (Nat.le_gt_cases (length sample) z) as [L | L]; [exists false; auto |].
    assert (B : nth z y 0 < 2) by (rewrite Forall_forall in Fy; apply Fy, nth_In; lia).
    exists (xorb (color (first z)) (nth z y 0 =? 1)). left. unfold label.
    destruct (Nat.eqb_spec (nth z y 0) 1), (color (first z)); cbn; lia. }
  destruct S as (swap & Sz).
  destruct (H (fun i => label swap (second i) =? nth i y 0)) as (T & HT & E).
  exists (relabeled (label swap) T). split.
  { eapply relabeled_structure; [| exact HT]. intros c. unfold label. destruct (xorb swap (color c)); auto. }
  rewrite <- (map_nth_seq y 0), Ly. rewrite (map_ext _ _ (fun x => evaluate_relabeled (label swap) T x)).
  rewrite <- (map_map (evaluate T) (label swap)), E, map_map. apply map_ext_in. intros i Hi. apply in_seq in Hi.
  assert (B : nth i y 0 < 2) by (rewrite Forall_forall in Fy; apply Fy, nth_In; lia).
  destruct (Nat.eqb_spec (label swap (second i)) (nth i y 0)) as [Q | Q]; [exact Q |].
  destruct (Nat.eq_dec i z) as [-> | NE].
  - destruct Sz as [Sz | [Sz | Sz]]; [exact Sz | now rewrite Sz in Q | lia].
  - specialize (C i ltac:(lia) NE). unfold label in *.
    destruct swap, (color (first i)), (color (second i)); cbn in *; try congruence; lia.
Qed.

(* ---- Stumps ----------------------------------------------------------------------------------------------------- *)

Lemma stump_labels {X} (allowed : test X -> Prop) n T : has_structure allowed n T stump ->
  exists c1 c2, forall x, evaluate T x = c1 \/ evaluate T x = c2.
Proof.
  intros H. inversion H as [| q T1 T2 a b _ H1 H2 | q T1 T2 a b _ H1 H2]; subst;
    inversion H1; inversion H2; subst; eexists; eexists; intros x; cbn; (destruct (q x); [left | right]; reflexivity).
Qed.

Lemma stump_choice {X} (allowed : test X -> Prop) n (sample : list X) first second :
  Natarajan_shattered_by allowed n stump sample first second -> forall choice : nat -> bool,
  exists c1 c2, forall i, i < length sample ->
    let label := if choice i then second i else first i in label = c1 \/ label = c2.
Proof.
  intros (_ & H) choice. destruct (H choice) as (T & HT & E). destruct (stump_labels allowed n T HT) as (c1 & c2 & L).
  exists c1, c2. intros i Hi label.
  assert (I : In label (map (evaluate T) sample)).
  { rewrite E. apply in_map_iff. exists i. split; auto. apply in_seq. lia. }
  apply in_map_iff in I as (x & <- & _). apply L.
Qed.

Lemma stump_shattered {X} (allowed : test X -> Prop) n (sample : list X) :
  Natarajan_shattered allowed n stump sample -> shattered allowed stump sample.
Proof.
  intros (first & second & H). pose proof H as (D & _).
  set (has := fun i => (first i =? first 0) || (second i =? first 0)).
  destruct (forallb has (seq 0 (length sample))) eqn:A.
  - (* a class that every example has *)
    apply (one_example_away_from_bipartite X allowed n stump sample first second (fun c => c =? first 0)
      (length sample) H).
    intros i Hi _. rewrite forallb_forall in A. specialize (A i ltac:(apply in_seq; lia)). specialize (D i Hi).
    unfold has in A. destruct (Nat.eqb_spec (first i) (first 0)), (Nat.eqb_spec (second i) (first 0)); cbn in A;
      congruence.
  - (* an example i without the first class of example 0: there are no others *)
    assert (I : exists i, i < length sample /\ first i <> first 0 /\ second i <> first 0).
    { assert (N : exists i, In i (seq 0 (length sample)) /\ has i = false).
      { clear - A. induction (seq 0 (length sample)) as [|i L IH]; [discriminate |]. cbn in A.
        destruct (has i) eqn:Q; [destruct (IH A) as (j & Hj & Q'); exists j; cbn; auto | exists i; cbn; auto]. }
      destruct N as (i & Hi & Q). apply in_seq in Hi. exists i. split; [lia |]. unfold has in Q.
      destruct (Nat.eqb_spec (first i) (first 0)), (Nat.eqb_spec (second i) (first 0)); auto; discriminate. }
    destruct I as (i & Hi & N1 & N2).
    apply (one_example_away_from_bipartite X allowed n stump sample first second (fun c => c =? first i) 0 H).
    intros k Hk Hk0. destruct (Nat.eq_dec k i) as [-> | Ki].
    { specialize (D i Hi). rewrite Nat.eqb_refl. destruct (Nat.eqb_spec (second i) (first i)); congruence. }
    exfalso. assert (i <> 0) by congruence.
    assert (P : forall bi bk : bool, (if bk then second k else first k) = first 0 \/
      (if bk then second k else first k) = (if bi then second i else first i)).
    { intros bi bk. destruct (stump_choice allowed n sample first second H
        (fun x => if x =? i then bi else if x =? k then bk else false)) as (c1 & c2 & L).
      pose proof (L 0 ltac:(lia)) as L0. pose proof (L i Hi) as Li. pose proof (L k Hk) as Lk. cbv zeta in *.
      clear L H D. rewrite Nat.eqb_refl in *.
      destruct (Nat.eqb_spec 0 i) as [|_]; [lia |]. destruct (Nat.eqb_spec 0 k) as [|_]; [lia |].
      destruct (Nat.eqb_spec k i) as [|_]; [lia |].
      assert (NE : (if bi then second i else first i) <> first 0) by (destruct bi; auto).
      destruct L0, Li, Lk; (left; congruence) || (right; congruence). }
    pose proof (D i Hi) as Di. pose proof (D k Hk) as Dk.
    pose proof (P false false) as P1. pose proof (P false true) as P2.
    pose proof (P true false) as P3. pose proof (P true true) as P4. cbv iota in *. clear P.
    destruct P1, P2; destruct P3; try congruence; destruct P4; congruence.
Qed.

Theorem stumps_with_any_number_of_classes :
  forall (X : Type) (allowed : test X -> Prop) (n : nat) (sample : list X), 2 <= n ->
  (Natarajan_shattered allowed n stump sample <-> shattered allowed stump sample).
Proof.
  intros X allowed n sample Hn. split; [apply stump_shattered | now apply Natarajan_dimension_lower_bound].
Qed.

(* ---- One feature ------------------------------------------------------------------------------------------------ *)

(* A tree with classes at its leaves is a tree with numbers at its leaves. *)
Lemma as_regression_tree {X} (allowed : test X -> Prop) n T s : has_structure allowed n T s ->
  exists T', fits allowed T' s /\ forall x : X, predict T' x = evaluate T x.
Proof.
  induction 1 as [c Hc | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)
                      | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
  { exists (Value c). split; [constructor | reflexivity]. }
  all: exists (Split q T1' T2'); split; [| intros x; cbn; now rewrite E1, E2].
  - now apply split_fits.
  - now apply split_fits_mirrored.
Qed.

Lemma few_on_a_line (R : linear_order) n s (sample : list (nat -> R)) (default : nat -> R) :
  Natarajan_shattered (threshold_test R 1) n s sample -> length sample <= 1 + internal_nodes s.
Proof.
  intros (first & second & D & H). set (d := length sample) in *.
  set (p := order (fun i x => position R (fun y => nth y sample default i) d x) 0 (seq 0 d)).
  (* the labels along the line: neighbors differ *)
  set (label := fix label k := match k with
    | 0 => first (nth 0 p 0)
    | S k' => if first (nth k p 0) =? label k' then second (nth k p 0) else first (nth k p 0) end).
  destruct (H (fun x => negb (first x =? label (index x p)))) as (T & HT & E).
  destruct (as_regression_tree _ _ _ _ HT) as (T' & HT' & ET).
  destruct (tree_changes R sample default T' s HT') as (K & L & C). fold d in C. fold p in C.
  pose proof (p_length R sample default) as LP. fold d in LP. fold p in LP.
  pose proof (p_inside R sample default) as PI. fold d in PI. fold p in PI.
  pose proof (p_index R sample default) as PX. fold d in PX. fold p in PX.
  assert (V : forall k, k < d -> evaluate T (nth (nth k p 0) sample default) = label k).
  { intros k Hk. apply (f_equal (fun y => nth (nth k p 0) y 0)) in E.
    rewrite map_nth_in_seq in E by (apply PI, Hk). rewrite PX in E by exact Hk.
    rewrite (nth_indep _ 0 (evaluate T default)), map_nth in E by (rewrite map_length; apply PI, Hk).
    rewrite E. clear. destruct k as [|k]; cbn [label]; [now rewrite Nat.eqb_refl |].
    destruct (Nat.eqb_spec (first (nth (S k) p 0)) (label k)) as [Q | Q]; [| now rewrite Nat.eqb_refl].
    destruct (Nat.eqb_spec (first (nth (S k) p 0)) (second (nth (S k) p 0))); auto. }
  assert (I : incl (seq 0 (d - 1)) K).
  { intros k Hk. apply in_seq in Hk. destruct (in_dec Nat.eq_dec k K) as [I | NI]; auto. exfalso.
    pose proof (C k ltac:(lia) NI) as Q. rewrite !ET, !V in Q by lia. cbn [label] in Q.
    specialize (D (nth (S k) p 0) (PI (S k) ltac:(lia))).
    destruct (Nat.eqb_spec (first (nth (S k) p 0)) (label k)); congruence. }
  apply NoDup_incl_length in I; [| apply seq_NoDup]. rewrite seq_length in I. lia.
Qed.

Theorem Natarajan_dimension_on_one_feature :
  forall (R : linear_order) (n : nat) (s : structure) (sample : list (nat -> R)),
  Natarajan_shattered (threshold_test R 1) n s sample -> length sample <= 1 + internal_nodes s.
Proof.
  intros R n s [|x sample] H; [cbn; lia |]. exact (few_on_a_line R n s (x :: sample) x H).
Qed.
