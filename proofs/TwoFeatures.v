(* Two features (chapter "What is the VC dimension of a decision tree?").

   In words: every structure with N >= 3 internal nodes shatters 2 N + 2 examples on two features with natural numbers
   as values. A smallest subtree
   with at least three nodes has two subtrees with at most two nodes each. There are four such structures, up to mirror
   images, and for each of them Coq finds a tree for every labeling of a sample. The subtree rule does the rest. *)

From Coq Require Import List Arith Lia Bool NArith.
From Treebounds Require Import Definitions Counting GrowthBound LowerBound SubtreeRule Transfer.
Import ListNotations.

(* ---- Sets of examples, as numbers in binary ------------------------------------------------------------------------ *)

Fixpoint numbers_with (p : nat -> bool) (d : nat) : N :=
  match d with
  | 0 => 0%N
  | S d' => if p d' then N.setbit (numbers_with p d') (N.of_nat d') else numbers_with p d'
  end.

Fixpoint all_sets_of (d : nat) : list N :=
  match d with 0 => [0%N] | S d' => all_sets_of d' ++ map (fun A => N.setbit A (N.of_nat d')) (all_sets_of d') end.

Definition holds (A : N) (i : nat) : bool := N.testbit A (N.of_nat i).

Lemma numbers_with_spec p d : forall i, holds (numbers_with p d) i = (i <? d) && p i.
Proof.
  unfold holds. induction d as [|d IH]; intros i; cbn [numbers_with]; [apply N.bits_0 |].
  assert (E : (i <? S d) = (i <? d) || (i =? d)).
  { apply Bool.eq_true_iff_eq. rewrite orb_true_iff, Nat.eqb_eq, !Nat.ltb_lt. lia. }
  destruct (p d) eqn:P.
  - destruct (Nat.eq_dec i d) as [-> | NE].
    + rewrite N.setbit_eq, E, Nat.eqb_refl, P, orb_true_r. reflexivity.
    + rewrite N.setbit_neq, IH, E by lia. destruct (Nat.eqb_spec i d); [easy |]. now rewrite orb_false_r.
  - rewrite IH, E. destruct (Nat.eqb_spec i d) as [Ei | NE]; [| now rewrite orb_false_r].
    now rewrite Ei, P, !andb_false_r.
Qed.

Lemma all_sets_of_complete p d : In (numbers_with p d) (all_sets_of d).
Proof.
  induction d as [|d IH]; [now left |]. cbn [numbers_with all_sets_of]. apply in_or_app. destruct (p d); auto.
  right. now apply (in_map (fun A => N.setbit A (N.of_nat d))).
Qed.

(* ---- The search ------------------------------------------------------------------------------------------------------ *)

Section Search.
  Variable ranks : list nat.

  Let d := length ranks.

  (* Example i has the value i of feature 0, and that of the list of feature 1. *)
  Definition ranked_example (i feature : nat) : nat := if feature =? 0 then i else nth i ranks 0.

  Definition low_side (feature t : nat) : N := numbers_with (fun i => ranked_example i feature <=? t) d.
  Definition high_side (feature t : nat) : N := numbers_with (fun i => negb (ranked_example i feature <=? t)) d.

  (* First the cuts in the middle, which are more likely to do; and the sides of all cuts, each list from large to
     small. *)
  Definition middle_sides : list N :=
    flat_map (fun t => [low_side 0 t; low_side 1 t]) (seq (d / 3) (d - d / 3) ++ seq 0 (d / 3)).

  Definition lists_of_sides : list (list N) :=
    [map (low_side 0) (rev (seq 0 d)); map (low_side 1) (rev (seq 0 d)); map (high_side 0) (seq 0 d);
     map (high_side 1) (seq 0 d)].

  (* Like existsb, but Coq stops at the first element that does. *)
  Fixpoint some {Y} (p : Y -> bool) (L : list Y) : bool :=
    match L with [] => false | x :: L' => if p x then true else some p L' end.

  (* What holds for the first element with p. *)
  Fixpoint for_first {Y} (p q : Y -> bool) (L : list Y) : bool :=
    match L with [] => false | x :: L' => if p x then q x else for_first p q L' end.

  Definition alike (A y : N) : bool := let ones := N.land A y in if N.eqb ones 0 then true else N.eqb ones A.

  (* Does a tree with this structure give the label 1 to the examples of y among those of A, and 0 to the others? A leaf
     below the root gets as many examples as it can. *)
  Fixpoint realizable (middle : list N) (lists : list (list N)) (s : structure) (A y : N) : bool :=
    match s with
    | leaf => alike A y
    | node leaf b =>
        some (for_first (fun side => alike (N.land A side) y)
          (fun side => realizable middle lists b (N.ldiff A side) y)) lists
    | node a b => some (fun side =>
        let low := N.land A side in
        let high := N.ldiff A side in
        if (if realizable middle lists a low y then realizable middle lists b high y else false) then true
        else if realizable middle lists a high y then realizable middle lists b low y else false) middle
    end.

  Definition all_realizable (s : structure) : bool :=
    let middle := middle_sides in
    let lists := lists_of_sides in
    let everything := numbers_with (fun _ => true) d in
    forallb (realizable middle lists s everything) (all_sets_of d).

  Lemma some_spec {Y} (p : Y -> bool) L : some p L = true -> exists x, In x L /\ p x = true.
  Proof.
    induction L as [|x L IH]; cbn [some]; [discriminate |]. destruct (p x) eqn:E; intros H.
    - exists x. split; [now left | exact E].
    - destruct (IH H) as (z & Hz & Ez). exists z. split; [now right | exact Ez].
  Qed.

  Lemma for_first_spec {Y} (p q : Y -> bool) L : for_first p q L = true -> exists x, In x L /\ p x = true /\ q x = true.
  Proof.
    induction L as [|x L IH]; cbn [for_first]; [discriminate |]. destruct (p x) eqn:E; intros H.
    - exists x. split; [now left | now split].
    - destruct (IH H) as (z & Hz & Ez). exists z. split; [now right | exact Ez].
  Qed.

  (* The two sides of a test. *)
  Definition side_of_test (side : N) : Prop := exists q, threshold_test natural_numbers 2 q /\
    ((forall i, i < d -> q (ranked_example i) = holds side i) \/
     (forall i, i < d -> q (ranked_example i) = negb (holds side i))).

  Lemma low_is_side feature t : feature < 2 -> side_of_test (low_side feature t).
  Proof.
    intros Hf. exists (fun x : nat -> natural_numbers => x feature <=? t). split; [now exists feature, t |]. left.
    intros i Hi. unfold low_side. rewrite numbers_with_spec. destruct (Nat.ltb_spec i d); [reflexivity | lia].
  Qed.

  Lemma high_is_side feature t : feature < 2 -> side_of_test (high_side feature t).
  Proof.
    intros Hf. exists (fun x : nat -> natural_numbers => x feature <=? t). split; [now exists feature, t |]. right.
    intros i Hi. unfold high_side. rewrite numbers_with_spec. destruct (Nat.ltb_spec i d); [| lia].
    cbn [andb]. now rewrite negb_involutive.
  Qed.

  Lemma middle_are_sides side : In side middle_sides -> side_of_test side.
  Proof.
    intros H. apply in_flat_map in H as (t & _ & [<- | [<- | []]]); apply low_is_side; lia.
  Qed.

  Lemma lists_are_sides L side : In L lists_of_sides -> In side L -> side_of_test side.
  Proof.
    intros HL H. destruct HL as [<- | [<- | [<- | [<- | []]]]]; apply in_map_iff in H as (t & <- & _);
      (apply low_is_side; lia) || (apply high_is_side; lia).
  Qed.

  Definition labels_given (s : structure) (A y : N) : Prop :=
    exists T, has_structure (threshold_test natural_numbers 2) 2 T s /\
      forall i, i < d -> holds A i = true ->
        evaluate T (ranked_example i : nat -> natural_numbers) = if holds y i then 1 else 0.

  Lemma leaf_found A y : alike A y = true -> labels_given leaf A y.
  Proof.
    unfold alike. intros H. destruct (N.eqb_spec (N.land A y) 0) as [E | E].
    - exists (Leaf 0). split; [now constructor; auto |]. intros i _ Hi. cbn [evaluate].
      assert (L : holds (N.land A y) i = false) by (rewrite E; apply N.bits_0).
      unfold holds in *. rewrite N.land_spec, Hi in L. cbn in L. now rewrite L.
    - apply N.eqb_eq in H. exists (Leaf 1). split; [now constructor; auto |]. intros i _ Hi. cbn [evaluate].
      assert (L : holds (N.land A y) i = true) by now rewrite H.
      unfold holds in *. rewrite N.land_spec, Hi in L. cbn in L. now rewrite L.
  Qed.

  Lemma node_found a b A y side : side_of_test side -> labels_given a (N.land A side) y ->
    labels_given b (N.ldiff A side) y -> labels_given (node a b) A y.
  Proof.
    intros (q & Hq & Q) (T1 & H1 & E1) (T2 & H2 & E2).
    assert (Low : forall i, holds (N.land A side) i = holds A i && holds side i)
      by (intros; unfold holds; apply N.land_spec).
    assert (High : forall i, holds (N.ldiff A side) i = holds A i && negb (holds side i))
      by (intros; unfold holds; apply N.ldiff_spec).
    destruct Q as [Q | Q].
    - exists (Node q T1 T2). split; [now apply node_has |]. intros i Hi HA. cbn [evaluate]. rewrite Q by exact Hi.
      destruct (holds side i) eqn:S; [apply E1 | apply E2]; auto; rewrite ?Low, ?High, HA, S; reflexivity.
    - exists (Node q T2 T1). split; [now apply node_has_mirrored |]. intros i Hi HA. cbn [evaluate].
      rewrite Q by exact Hi. destruct (holds side i) eqn:S; cbn [negb]; [apply E1 | apply E2]; auto;
        rewrite ?Low, ?High, HA, S; reflexivity.
  Qed.

  Lemma mirrored_found a b A y : labels_given (node a b) A y -> labels_given (node b a) A y.
  Proof.
    intros (T & HT & E). exists T. split; auto. inversion HT; subst; [now apply node_has_mirrored | now apply node_has].
  Qed.

  Lemma tree_found s y : forall A, realizable middle_sides lists_of_sides s A y = true -> labels_given s A y.
  Proof.
    induction s as [|a IHa b IHb]; intros A H; [now apply leaf_found |].
    destruct a as [|a1 a2].
    - cbn [realizable] in H. apply some_spec in H as (L & HL & H). apply for_first_spec in H as (side & Hs & H1 & H2).
      apply (node_found leaf b A y side); [exact (lists_are_sides L side HL Hs) | now apply leaf_found | now apply IHb].
    - set (a := node a1 a2) in *.
      change (some (fun side =>
        let low := N.land A side in
        let high := N.ldiff A side in
        if (if realizable middle_sides lists_of_sides a low y then realizable middle_sides lists_of_sides b high y
          else false) then true
        else if realizable middle_sides lists_of_sides a high y then realizable middle_sides lists_of_sides b low y
          else false) middle_sides = true) in H.
      apply some_spec in H as (side & Hs & H). cbv zeta in H. pose proof (middle_are_sides side Hs) as S.
      destruct (realizable _ _ a (N.land A side) y) eqn:R1; [destruct (realizable _ _ b (N.ldiff A side) y) eqn:R2 |].
      + apply (node_found a b A y side); auto.
      + destruct (realizable _ _ a (N.ldiff A side) y) eqn:R3; [| discriminate].
        apply mirrored_found, (node_found b a A y side); auto.
      + destruct (realizable _ _ a (N.ldiff A side) y) eqn:R3; [| discriminate].
        apply mirrored_found, (node_found b a A y side); auto.
  Qed.

  Lemma sample_shattered s : all_realizable s = true ->
    shattered (threshold_test natural_numbers 2) s
      (map (fun i => ranked_example i : nat -> natural_numbers) (seq 0 d)).
  Proof.
    intros H labels L F. rewrite map_length, seq_length in L.
    unfold all_realizable in H. rewrite forallb_forall in H.
    specialize (H _ (all_sets_of_complete (fun i => nth i labels 0 =? 1) d)).
    destruct (tree_found s _ _ H) as (T & HT & E). exists T. split; auto. rewrite map_map.
    rewrite <- (map_nth_seq labels 0), L. apply map_ext_in. intros i Hi. apply in_seq in Hi.
    assert (Hd : i < d) by lia.
    assert (A : holds (numbers_with (fun _ => true) d) i = true).
    { rewrite numbers_with_spec. apply andb_true_iff. split; [now apply Nat.ltb_lt | reflexivity]. }
    rewrite (E i Hd A).
    rewrite numbers_with_spec. destruct (Nat.ltb_spec i d); [| lia]. cbn [andb].
    assert (B : nth i labels 0 < 2) by (rewrite Forall_forall in F; apply F, nth_In; lia).
    destruct (Nat.eqb_spec (nth i labels 0) 1); lia.
  Qed.

  Lemma dimension_at_least s : all_realizable s = true ->
    VC_dimension_at_least (threshold_test natural_numbers 2) s d.
  Proof.
    intros H. exists (map (fun i => ranked_example i : nat -> natural_numbers) (seq 0 d)).
    split; [now rewrite map_length, seq_length | now apply sample_shattered].
  Qed.
End Search.

Definition stump_structure : structure := node leaf leaf.
Definition chain_of_two : structure := node leaf stump_structure.

Lemma chain_of_three_all : all_realizable [1; 6; 5; 2; 4; 0; 7; 3] (node leaf chain_of_two) = true.
Proof. vm_compute. reflexivity. Qed.

Lemma two_stumps_all : all_realizable [2; 6; 0; 3; 4; 7; 1; 5] (node stump_structure stump_structure) = true.
Proof. vm_compute. reflexivity. Qed.

Lemma chain_and_stump_all :
  all_realizable [1; 8; 0; 2; 4; 6; 9; 5; 3; 7] (node stump_structure chain_of_two) = true.
Proof. vm_compute. reflexivity. Qed.

Lemma two_chains_all :
  all_realizable [1; 0; 4; 8; 2; 5; 6; 9; 3; 7; 11; 10] (node chain_of_two chain_of_two) = true.
Proof. vm_compute. reflexivity. Qed.

(* ---- Every structure ---------------------------------------------------------------------------------------------- *)

(* A smallest subtree with at least three nodes. *)
Lemma smallest_subtree s : 3 <= internal_nodes s -> exists a b, subtree (node a b) s /\
  internal_nodes a <= 2 /\ internal_nodes b <= 2 /\ 2 <= internal_nodes a + internal_nodes b.
Proof.
  induction s as [|a IHa b IHb]; intros H; [cbn in H; lia |].
  destruct (Nat.le_gt_cases 3 (internal_nodes a)) as [A | A].
  { destruct (IHa A) as (a' & b' & S & P). exists a', b'. split; [now apply subtree_left | exact P]. }
  destruct (Nat.le_gt_cases 3 (internal_nodes b)) as [B | B].
  { destruct (IHb B) as (a' & b' & S & P). exists a', b'. split; [now apply subtree_right | exact P]. }
  exists a, b. split; [apply subtree_itself |]. cbn [internal_nodes] in H. lia.
Qed.

(* Structures with at most two nodes, up to mirror images. *)
Lemma small_structures s : internal_nodes s <= 2 ->
  s = leaf \/ s = stump_structure \/ same_structure s chain_of_two.
Proof.
  assert (L : forall t, internal_nodes t = 0 -> t = leaf) by (intros [|a b] H; [auto | discriminate]).
  assert (St : forall t, internal_nodes t = 1 -> t = stump_structure).
  { intros [|a b] H; [discriminate |]. cbn [internal_nodes] in H. rewrite (L a), (L b) by lia. reflexivity. }
  destruct s as [|a b]; intros H; [auto |]. cbn [internal_nodes] in H. right.
  destruct (internal_nodes a) as [|[|]] eqn:A; [| | lia].
  - rewrite (L a A). destruct (internal_nodes b) as [|[|]] eqn:B; [| | lia].
    + left. rewrite (L b B). reflexivity.
    + right. rewrite (St b B). apply same_straight; repeat constructor.
  - right. rewrite (St a A), (L b) by lia. apply same_mirrored; repeat constructor.
Qed.

Lemma same_as_itself s : same_structure s s.
Proof. induction s; [apply same_leaf | now apply same_straight]. Qed.

Lemma shattered_alike s s' d : same_structure s s' -> VC_dimension_at_least (threshold_test natural_numbers 2) s' d ->
  VC_dimension_at_least (threshold_test natural_numbers 2) s d.
Proof.
  intros H (sample & L & S). exists sample. split; auto. intros y Ly Fy.
  apply (mirror_images_realize_the_same _ _ 2 s s' H). now apply S.
Qed.

Lemma same_nodes s s' : same_structure s s' -> internal_nodes s = internal_nodes s'.
Proof. induction 1; cbn [internal_nodes]; lia. Qed.

Lemma subtree_nodes B s : subtree B s -> internal_nodes B <= internal_nodes s.
Proof. induction 1; cbn [internal_nodes]; lia. Qed.

Lemma two_small_subtrees a b : internal_nodes a <= 2 -> internal_nodes b <= 2 ->
  2 <= internal_nodes a + internal_nodes b ->
  VC_dimension_at_least (threshold_test natural_numbers 2) (node a b) (2 * internal_nodes (node a b) + 2).
Proof.
  assert (C3 := dimension_at_least _ _ chain_of_three_all). assert (SS := dimension_at_least _ _ two_stumps_all).
  assert (CS := dimension_at_least _ _ chain_and_stump_all). assert (CC := dimension_at_least _ _ two_chains_all).
  cbn [length] in *.
  intros Ha Hb Hab. cbn [internal_nodes].
  destruct (small_structures a Ha) as [-> | [-> | A]], (small_structures b Hb) as [-> | [-> | B]];
    cbn [internal_nodes stump_structure] in *; try lia.
  - rewrite (same_nodes _ _ B). eapply shattered_alike; [| exact C3]. apply same_straight; auto using same_as_itself.
  - exact SS.
  - rewrite (same_nodes _ _ B). eapply shattered_alike; [| exact CS]. apply same_straight; auto using same_as_itself.
  - rewrite (same_nodes _ _ A). eapply shattered_alike; [| exact C3]. apply same_mirrored; auto using same_as_itself.
  - rewrite (same_nodes _ _ A). eapply shattered_alike; [| exact CS]. apply same_mirrored; auto using same_as_itself.
  - rewrite (same_nodes _ _ A), (same_nodes _ _ B). eapply shattered_alike; [| exact CC]. now apply same_straight.
Qed.

Theorem two_features_lower_bound :
  forall s : structure, 3 <= internal_nodes s ->
  VC_dimension_at_least (threshold_test natural_numbers 2) s (2 * internal_nodes s + 2).
Proof.
  intros s H. destruct (smallest_subtree s H) as (a & b & S & Ha & Hb & Hab).
  pose proof (subtree_rule 2 2 _ _ _ S (le_n 2) (two_small_subtrees a b Ha Hb Hab)) as V.
  pose proof (subtree_nodes _ _ S).
  now replace (2 * internal_nodes s + 2) with
    (2 * internal_nodes (node a b) + 2 + (internal_nodes s - internal_nodes (node a b)) * 2) by lia.
Qed.
