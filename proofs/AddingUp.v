(* VC dimensions of subtrees add up: with the same features on both sides if their values are natural numbers (chapter
   "More on the VC dimension of trees"), and with one more feature at the root if they are binary (Theorem 4 of Yildiz
   2012, chapter "The VC dimension on binary features"). Chains and complete trees follow (his Theorems 2 and 3).

   In words: if the subtrees of the root shatter samples of x and of y examples on l >= 1 features with natural
   numbers as values, the tree shatters a sample of x + y examples on as many features of this kind. On binary
   features it needs one feature more. If 2^(m - 1) <= d - N + 2, a chain of N internal nodes, 1 <= N <= d + 1, on d
   >= 1 binary features shatters m + N - 1 examples; if 2^(m - 1) <= d - h + 2, the complete tree of height h, 1 <= h
   <= d + 1, shatters 2^(h - 1) m examples. Both need m >= 1. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting StumpBound BinaryStumps.
Import ListNotations.

(* A root that separates two shattered samples. *)
Lemma shattered_node {X} (allowed : test X -> Prop) a b q A B : allowed q ->
  (forall x, In x A -> q x = true) -> (forall x, In x B -> q x = false) ->
  shattered allowed a A -> shattered allowed b B -> shattered allowed (node a b) (A ++ B).
Proof.
  intros Hq HA HB SA SB y Ly Fy. rewrite app_length in Ly. rewrite <- (firstn_skipn (length A) y) in Fy.
  apply Forall_app in Fy as [F1 F2].
  destruct (SA (firstn (length A) y)) as (T1 & H1 & E1); [rewrite firstn_length; lia | exact F1 |].
  destruct (SB (skipn (length A) y)) as (T2 & H2 & E2); [rewrite skipn_length; lia | exact F2 |].
  exists (Node q T1 T2). split; [now apply node_has |].
  rewrite map_app, <- (firstn_skipn (length A) y), <- E1, <- E2. f_equal; apply map_ext_in; intros x Hx; cbn [evaluate].
  - now rewrite HA.
  - now rewrite HB.
Qed.

(* A sample that is carried over by a function, with its tests. *)
Lemma shattered_map {X Y} (P : test X -> Prop) (Q : test Y -> Prop) (f : X -> Y) s A :
  (forall q, P q -> exists q', Q q' /\ forall x, q' (f x) = q x) -> shattered P s A -> shattered Q s (map f A).
Proof.
  intros H SA y Ly Fy. rewrite map_length in Ly. destruct (SA y Ly Fy) as (T & HT & E).
  assert (G : exists T', has_structure Q 2 T' s /\ forall x, evaluate T' (f x) = evaluate T x).
  { clear - HT H. induction HT as [c Hc | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)
      | q T1 T2 a b Hq _ (T1' & H1 & E1) _ (T2' & H2 & E2)].
    - exists (Leaf c). split; [now apply leaf_has | reflexivity].
    - destruct (H q Hq) as (q' & Hq' & Eq). exists (Node q' T1' T2'). split; [now apply node_has |].
      intros x. cbn [evaluate]. now rewrite Eq, E1, E2.
    - destruct (H q Hq) as (q' & Hq' & Eq). exists (Node q' T1' T2'). split; [now apply node_has_mirrored |].
      intros x. cbn [evaluate]. now rewrite Eq, E1, E2. }
  destruct G as (T' & HT' & E'). exists T'. split; auto. rewrite map_map, <- E. now apply map_ext.
Qed.

(* Feature 0 of the second sample comes after that of the first. *)
Definition moved (K : nat) (x : nat -> nat) (i : nat) : nat := match i with 0 => x 0 + K | _ => x i end.

Theorem VC_dimensions_of_subtrees_add_up :
  forall (l : nat) (a b : structure) (x y : nat), 1 <= l ->
  VC_dimension_at_least (threshold_test natural_numbers l) a x ->
  VC_dimension_at_least (threshold_test natural_numbers l) b y ->
  VC_dimension_at_least (threshold_test natural_numbers l) (node a b) (x + y).
Proof.
  intros l a b x y Hl (A & LA & SA) (B & LB & SB). set (K := list_max (map (fun z : nat -> nat => z 0) A)).
  exists (A ++ map (moved (S K)) B). split; [rewrite app_length, map_length; exact (f_equal2 Nat.add LA LB) |].
  apply (shattered_node _ _ _ (fun z : nat -> nat => z 0 <=? K)); auto.
  - exists 0, K. split; [lia | reflexivity].
  - intros z Hz. apply Nat.leb_le. pose proof (le_n K) as F. unfold K in F at 1.
    apply list_max_le in F. rewrite Forall_forall in F. apply F. now apply (in_map (fun z : nat -> nat => z 0)).
  - intros z Hz. apply in_map_iff in Hz as (u & <- & _). apply Nat.leb_gt. cbn [moved]. lia.
  - apply (shattered_map (threshold_test natural_numbers l)); auto. intros q (i & t & Hi & Eq).
    exists (fun z : nat -> nat => z i <=? match i with 0 => t + S K | _ => t end). split.
    + exists i, (match i with 0 => t + S K | _ => t end). split; [exact Hi | reflexivity].
    + intros z. rewrite Eq. change (le natural_numbers (z i) t) with (z i <=? t). destruct i as [|i]; cbn [moved]; [| reflexivity].
      apply eq_true_iff_eq. rewrite !Nat.leb_le. split; intros; lia.
Qed.

(* Feature d has one value in the first sample and the other one in the second. *)
Definition marked (d : nat) (mark : bool) (x : nat -> bool) (i : nat) : bool := if i =? d then mark else x i.

Theorem binary_VC_dimensions_of_subtrees_add_up :
  forall (d : nat) (a b : structure) (x y : nat),
  VC_dimension_at_least (binary_test d) a x -> VC_dimension_at_least (binary_test d) b y ->
  VC_dimension_at_least (binary_test (d + 1)) (node a b) (x + y).
Proof.
  intros d a b x y (A & LA & SA) (B & LB & SB).
  assert (M : forall mark s C, shattered (binary_test d) s C -> shattered (binary_test (d + 1)) s (map (marked d mark) C)).
  { intros mark s C. apply shattered_map. intros q (i & Hi & Eq). exists (fun z : nat -> bool => z i). split.
    - exists i. split; [lia | reflexivity].
    - intros z. rewrite Eq. unfold marked. destruct (Nat.eqb_spec i d); [lia | reflexivity]. }
  exists (map (marked d true) A ++ map (marked d false) B). split; [rewrite app_length, !map_length; lia |].
  apply (shattered_node _ _ _ (fun z : nat -> bool => z d)); auto.
  - exists d. split; [lia | reflexivity].
  - intros z Hz. apply in_map_iff in Hz as (u & <- & _). unfold marked. now rewrite Nat.eqb_refl.
  - intros z Hz. apply in_map_iff in Hz as (u & <- & _). unfold marked. now rewrite Nat.eqb_refl.
Qed.

(* ---- Chains and complete trees --------------------------------------------------------------------------------------------- *)

Fixpoint chain (N : nat) : structure :=
  match N with 0 => leaf | S N' => node (chain N') leaf end.

Fixpoint complete (h : nat) : structure :=
  match h with 0 => leaf | S h' => node (complete h') (complete h') end.

Lemma leaf_shatters_one d : VC_dimension_at_least (binary_test d) leaf 1.
Proof.
  exists [fun _ => false]. split; auto. intros [|c [|c' y]] Ly Fy; try discriminate. inversion Fy; subst.
  exists (Leaf c). split; [now apply leaf_has | reflexivity].
Qed.

(* One more node at the bottom does no harm if both of its leaves have the label of the old leaf. *)
Lemma deeper_chain {X} (P : test X -> Prop) q N : P q -> forall T, has_structure P 2 T (chain N) ->
  exists T', has_structure P 2 T' (chain (S N)) /\ forall x, evaluate T' x = evaluate T x.
Proof.
  intros Hq. induction N as [|N IH]; intros T HT.
  - exists (Node q T T). split; [now apply node_has |]. intros x. cbn [evaluate]. now destruct (q x).
  - change (chain (S (S N))) with (node (chain (S N)) leaf). cbn [chain] in HT. inversion HT; subst.
    + destruct (IH T1) as (T' & H' & E); [assumption |]. exists (Node q0 T' T2). split; [now apply node_has |].
      intros x. cbn [evaluate]. now rewrite E.
    + destruct (IH T2) as (T' & H' & E); [assumption |]. exists (Node q0 T1 T'). split; [now apply node_has_mirrored |].
      intros x. cbn [evaluate]. now rewrite E.
Qed.

Lemma deeper_complete {X} (P : test X -> Prop) q h : P q -> forall T, has_structure P 2 T (complete h) ->
  exists T', has_structure P 2 T' (complete (S h)) /\ forall x, evaluate T' x = evaluate T x.
Proof.
  intros Hq. induction h as [|h IH]; intros T HT.
  - exists (Node q T T). split; [now apply node_has |]. intros x. cbn [evaluate]. now destruct (q x).
  - change (complete (S (S h))) with (node (complete (S h)) (complete (S h))). cbn [complete] in HT.
    inversion HT; subst; destruct (IH T1) as (T1' & G1 & E1); auto; destruct (IH T2) as (T2' & G2 & E2); auto;
      exists (Node q0 T1' T2'); (split; [now apply node_has |]); intros x; cbn [evaluate]; now rewrite E1, E2.
Qed.

Lemma deeper {X} (P : test X -> Prop) s s' d :
  (forall T, has_structure P 2 T s -> exists T', has_structure P 2 T' s' /\ forall x, evaluate T' x = evaluate T x) ->
  VC_dimension_at_least P s d -> VC_dimension_at_least P s' d.
Proof.
  intros H (A & LA & SA). exists A. split; auto. intros y Ly Fy. destruct (SA y Ly Fy) as (T & HT & <-).
  destruct (H T HT) as (T' & HT' & E). exists T'. split; auto. now apply map_ext.
Qed.

Lemma first_feature d : 1 <= d -> binary_test d (fun x => x 0).
Proof. intros H. exists 0. split; [lia | reflexivity]. Qed.

Lemma chain_with_features N : forall d m, 1 <= N -> N <= d -> 1 <= m -> 2 ^ (m - 1) + N <= d + 2 ->
  VC_dimension_at_least (binary_test d) (chain N) (m + N - 1).
Proof.
  induction N as [|N IH]; intros d m HN Hd Hm H; [lia |]. destruct (Nat.eq_dec N 0) as [-> | Z].
  - replace (m + 1 - 1) with m by lia. apply binary_stump_lower_bound; lia.
  - cbn [chain]. replace d with ((d - 1) + 1) by lia. replace (m + S N - 1) with ((m + N - 1) + 1) by lia.
    apply binary_VC_dimensions_of_subtrees_add_up; [apply IH; lia | apply leaf_shatters_one].
Qed.

Lemma complete_with_features h : forall d m, 1 <= h -> h <= d -> 1 <= m -> 2 ^ (m - 1) + h <= d + 2 ->
  VC_dimension_at_least (binary_test d) (complete h) (2 ^ (h - 1) * m).
Proof.
  induction h as [|h IH]; intros d m Hh Hd Hm H; [lia |]. destruct (Nat.eq_dec h 0) as [-> | Z].
  - replace (2 ^ (1 - 1) * m) with m by (cbn; lia). apply binary_stump_lower_bound; lia.
  - cbn [complete]. replace d with ((d - 1) + 1) by lia.
    replace (2 ^ (S h - 1) * m) with (2 ^ (h - 1) * m + 2 ^ (h - 1) * m)
      by (replace (S h - 1) with (S (h - 1)) by lia; cbn [Nat.pow]; lia).
    apply binary_VC_dimensions_of_subtrees_add_up; apply IH; lia.
Qed.

Lemma power_at_most_one k : 2 ^ k <= 1 -> k = 0.
Proof. destruct k; auto. cbn [Nat.pow]. pose proof (Nat.pow_nonzero 2 k). lia. Qed.

Theorem chain_lower_bound :
  forall d N m : nat, 1 <= d -> 1 <= N -> 1 <= m -> N <= d + 1 -> 2 ^ (m - 1) + N <= d + 2 ->
  VC_dimension_at_least (binary_test d) (chain N) (m + N - 1).
Proof.
  intros d N m Hd HN Hm B H. destruct (Nat.le_gt_cases N d) as [C | C]; [now apply chain_with_features |].
  assert (E : m - 1 = 0) by (apply power_at_most_one; lia). replace N with (S d) by lia.
  apply (deeper _ (chain d)); [now apply (deeper_chain _ (fun x => x 0)), first_feature |].
  replace (m + S d - 1) with (2 + d - 1) by lia. apply chain_with_features; cbn; lia.
Qed.

Theorem complete_tree_lower_bound :
  forall d h m : nat, 1 <= d -> 1 <= h -> 1 <= m -> h <= d + 1 -> 2 ^ (m - 1) + h <= d + 2 ->
  VC_dimension_at_least (binary_test d) (complete h) (2 ^ (h - 1) * m).
Proof.
  intros d h m Hd Hh Hm B H. destruct (Nat.le_gt_cases h d) as [C | C]; [now apply complete_with_features |].
  assert (E : m - 1 = 0) by (apply power_at_most_one; lia). replace h with (S d) by lia.
  apply (deeper _ (complete d)); [now apply (deeper_complete _ (fun x => x 0)), first_feature |].
  replace (2 ^ (S d - 1) * m) with (2 ^ (d - 1) * 2); [apply complete_with_features; cbn; lia |].
  replace (S d - 1) with (S (d - 1)) by lia. replace m with 1 by lia. cbn [Nat.pow]. lia.
Qed.
