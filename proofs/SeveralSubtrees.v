(* Several subtrees keep samples of their own (chapter "The VC dimension of small trees, exactly").

   In words: the structure T has a subtree B that shatters d examples, and further disjoint subtrees, of which each
   shatters a sample with one example that comes first along every feature. T then shatters the d examples of B, all
   but the first one of each further subtree, and g examples for each other internal node, if C(g, floor(g / 2)) is at
   most the number l of features, which have natural numbers as values. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting Chains GrowthBound LowerBound Groups SubtreeRule TwoFeatures.
Import ListNotations.

(* How many examples a structure adds behind others: a subtree adds all examples of its sample but the one that comes
   first along every feature, each internal node outside of these subtrees adds g, and a leaf none. *)
Inductive adds_behind (l g : nat) : structure -> nat -> Prop :=
  | adds_own s first sample :
      shattered (threshold_test natural_numbers l) s (first :: sample) ->
      (forall x i, In x sample -> i < l -> first i < x i) ->
      adds_behind l g s (length sample)
  | adds_none : adds_behind l g leaf 0
  | adds_both a b p q :
      adds_behind l g a p -> adds_behind l g b q -> adds_behind l g (node a b) (p + g + q).

(* How many examples the theorem promises: d for the subtree that comes first, g for each node on the path to it, and
   what the structures beside this path add. *)
Inductive promised (l g : nat) : structure -> nat -> Prop :=
  | promised_first s d : VC_dimension_at_least (threshold_test natural_numbers l) s d -> promised l g s d
  | promised_left a b d q : promised l g a d -> adds_behind l g b q -> promised l g (node a b) (d + g + q)
  | promised_right a b d q : promised l g b d -> adds_behind l g a q -> promised l g (node a b) (d + g + q).

Section Subtrees.
  Variables l g W : nat.
  Variable values : nat -> nat -> nat.
  Variable sets : list (list bool).
  Hypothesis cuts : cuts_off l g W values sets.
  Hypothesis every_set : forall A, length A = g -> In A sets.
  Hypothesis l_features : 1 <= l.

  Definition up_to (K : nat) (x : nat -> natural_numbers) : Prop := forall i, i < l -> x i <= K.

  (* Behind all examples up to K, which get one label, there is a sample that is shattered; all examples above it get
     one label, too. *)
  Definition follows (s : structure) (n : nat) : Prop :=
    forall K, exists sample K', length sample = n /\ K <= K' /\
      (forall x i, In x sample -> i < l -> K < x i <= K') /\
      forall y c, length y = n -> Forall (fun c => c < 2) y -> c < 2 ->
      exists T c', has_structure (threshold_test natural_numbers l) 2 T s /\ c' < 2 /\
        map (evaluate T) sample = y /\
        (forall x, up_to K x -> evaluate T x = c) /\ (forall x, above l K' x -> evaluate T x = c').

  (* All thresholds are moved: what is up to K goes the way of the first example. *)
  Lemma tree_moved (first : nat -> natural_numbers) K D T s :
    has_structure (threshold_test natural_numbers l) 2 T s ->
    exists T' c', has_structure (threshold_test natural_numbers l) 2 T' s /\ c' < 2 /\
      (forall x, up_to K x -> evaluate T' x = evaluate T first) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> first i < x i <= D) ->
        evaluate T' (fun i => K + x i) = evaluate T x) /\
      (forall x, above l (K + D) x -> evaluate T' x = c').
  Proof.
    induction 1 as [c Hc | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & c1 & H1 & B1 & L1 & M1 & A1)
                             _ (T2' & c2 & H2 & B2 & L2 & M2 & A2)
                         | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & c1 & H1 & B1 & L1 & M1 & A1)
                             _ (T2' & c2 & H2 & B2 & L2 & M2 & A2)].
    { exists (Leaf c), c. repeat split; auto. now constructor. }
    all: destruct (Nat.lt_ge_cases t (first i)) as [C | C].
    all: assert (Qf := Hq first); change (le natural_numbers (first i) t) with (first i <=? t) in Qf.
    (* The first example goes right: so do all, below a threshold above them, with the sides exchanged. *)
    1, 3: exists (Node (fun x : nat -> natural_numbers => x i <=? K + D) T2' T1'), c1.
    3, 4: exists (Node (fun x : nat -> natural_numbers => x i <=? K + Nat.min t D) T1' T2'), c2.
    all: split; [solve [apply node_has; auto; exists i; eexists; split; [exact Hi | reflexivity]
        | apply node_has_mirrored; auto; exists i; eexists; split; [exact Hi | reflexivity]]
      | split; [assumption |]].
    all: cbn [evaluate]; rewrite Qf; repeat split.
    all: intros x Hx; pose proof (Hx i Hi) as Hxi;
      try (rewrite Hq; change (le natural_numbers (x i) t) with (x i <=? t)).
    all: repeat match goal with |- context [?u <=? ?v] => destruct (Nat.leb_spec u v) end; auto; try lia.
  Qed.

  Lemma own_follows s first sample : shattered (threshold_test natural_numbers l) s (first :: sample) ->
    (forall x i, In x sample -> i < l -> first i < x i) -> follows s (length sample).
  Proof.
    intros H F K. destruct (bounded_sample l l_features sample) as (D & HD).
    exists (map (fun x i => K + x i) sample), (K + D). split; [now rewrite map_length |]. split; [lia |]. split.
    { intros z i Hz Hi. apply in_map_iff in Hz as (x & <- & Hx). specialize (F x i Hx Hi). specialize (HD x i Hx Hi).
      change (K < K + x i <= K + D). lia. }
    intros y c Hy Fy Hc. destruct (H (c :: y)) as (T & HT & E); [cbn [length]; now f_equal | now constructor |].
    cbn [map] in E. injection E as Ec Ey. destruct (tree_moved first K D T s HT) as (T' & c' & HT' & Hc' & L & M & A).
    exists T', c'. split; [auto | split; [auto | split; [| split; [| auto]]]].
    - rewrite map_map, <- Ey. apply map_ext_in. intros x Hx. apply M. intros i Hi. split; auto.
    - intros x Hx. rewrite L by auto. exact Ec.
  Qed.

  (* A node that cuts group j, between a tree for what lies before it and one for what lies behind it. *)
  Lemma joined T1 T2 c KA j y : c < 2 -> KA <= j * W -> length y = g -> Forall (fun c => c < 2) y ->
    (forall x, above l KA x -> evaluate T1 x = c) -> (forall x, up_to (S j * W) x -> evaluate T2 x = 1 - c) ->
    exists q, threshold_test natural_numbers l q /\
      (forall x, up_to KA x -> evaluate (Node q T1 T2) x = evaluate T1 x) /\
      (forall x, above l (S j * W) x -> evaluate (Node q T1 T2) x = evaluate T2 x) /\
      map (evaluate (Node q T1 T2)) (map (member_of W values j) (seq 0 g)) = y.
  Proof.
    intros Hc HK Hy F A L.
    destruct (cut_anywhere l g W values sets cuts every_set (fun e => nth e y 0 =? c)) as (i & t & Hi & Ht & Hcut).
    exists (fun x : nat -> natural_numbers => x i <=? 1 + j * W + t).
    split; [exists i, (1 + j * W + t); auto |]. split; [| split].
    - intros x Hx. specialize (Hx i Hi). cbn [evaluate]. destruct (Nat.leb_spec (x i) (1 + j * W + t)); [auto | lia].
    - intros x Hx. specialize (Hx i Hi). cbn [evaluate]. destruct (Nat.leb_spec (x i) (1 + j * W + t)); [nia | auto].
    - rewrite map_map. rewrite <- Hy at 1. symmetry. rewrite <- (map_id y) at 1.
      transitivity (map (fun e => nth e y 0) (seq 0 (length y))).
      { rewrite map_id. symmetry. apply GrowthBound.map_nth_seq. }
      apply map_ext_in. intros e He. apply in_seq in He. specialize (Hcut e ltac:(lia)). cbv beta in Hcut.
      pose proof (fun i' => member_of_bounds l g W values sets cuts j e i') as HM.
      assert (B : nth e y 0 < 2). { rewrite Forall_forall in F. apply F, nth_In. lia. }
      cbn [evaluate]. unfold member_of at 1.
      replace (1 + j * W + values i e <=? 1 + j * W + t) with (values i e <=? t).
      2:{ apply Bool.eq_true_iff_eq. rewrite !Nat.leb_le. lia. }
      rewrite <- Hcut. destruct (Nat.eqb_spec (nth e y 0) c) as [-> | NE].
      + symmetry. apply A. intros i' _. specialize (HM i'). lia.
      + rewrite L; [lia |]. intros i' _. specialize (HM i'). lia.
  Qed.

  Lemma group_bounds j x i : In x (map (member_of W values j) (seq 0 g)) -> j * W < x i <= S j * W.
  Proof.
    intros H. apply in_map_iff in H as (e & <- & _). apply (member_of_bounds l g W values sets cuts j e i).
  Qed.

  Lemma place K : exists j, K <= j * W.
  Proof. pose proof (proj1 (proj2 cuts) 0 0). exists K. nia. Qed.

  Lemma node_follows a b p q : follows a p -> follows b q -> follows (node a b) (p + g + q).
  Proof.
    intros HA HB K. destruct (HA K) as (SA & KA & LA & IA & BA & RA). destruct (place KA) as (j & Hj).
    destruct (HB (S j * W)) as (SB & KB & LB & IB & BB & RB).
    assert (HW : j * W <= S j * W) by (cbn [Nat.mul]; lia).
    exists (SA ++ map (member_of W values j) (seq 0 g) ++ SB), KB.
    split; [rewrite !app_length, map_length, seq_length, <- LA, <- LB; apply Nat.add_assoc |]. split; [lia |]. split.
    { intros x i Hx Hi. apply in_app_or in Hx as [Hx | Hx]; [specialize (BA x i Hx Hi); lia |].
      apply in_app_or in Hx as [Hx | Hx]; [pose proof (group_bounds j x i Hx) | specialize (BB x i Hx Hi)]; lia. }
    intros y c Hy F Hc. rewrite <- (firstn_skipn p y) in F |- *. set (rest := skipn p y) in *.
    assert (Hr : length rest = g + q) by (unfold rest; rewrite skipn_length; lia).
    apply Forall_app in F as [F1 F]. rewrite <- (firstn_skipn g rest) in F |- *. apply Forall_app in F as [F2 F3].
    destruct (RA (firstn p y) c) as (T1 & c1 & H1 & Hc1 & E1 & L1 & A1); [rewrite firstn_length; lia | auto | auto |].
    destruct (RB (skipn g rest) (1 - c1)) as (T2 & c2 & H2 & Hc2 & E2 & L2 & A2);
      [rewrite skipn_length; lia | auto | lia |].
    destruct (joined T1 T2 c1 KA j (firstn g rest)) as (t & Ht & Lo & Hi & Mid); auto; [rewrite firstn_length; lia |].
    exists (Node t T1 T2), c2. split; [now apply node_has |]. split; [auto |]. split; [| split].
    - rewrite !map_app. f_equal; [| f_equal; [exact Mid |]].
      + rewrite <- E1. apply map_ext_in. intros x Hx. apply Lo. intros i Hil. now apply BA.
      + rewrite <- E2. apply map_ext_in. intros x Hx. apply Hi. intros i Hil. now apply BB.
    - intros x Hx. rewrite Lo; auto. intros i Hil. specialize (Hx i Hil). lia.
    - intros x Hx. rewrite Hi; auto. intros i Hil. specialize (Hx i Hil). lia.
  Qed.

  Lemma added_follows s n : adds_behind l g s n -> follows s n.
  Proof.
    induction 1 as [s first sample HS HF | | a b p q _ IA _ IB]; eauto using own_follows, node_follows.
    intros K. exists [], K. split; [auto | split; [auto | split; [intros x i [] |]]].
    intros y c Hy _ Hc. exists (Leaf c), c. destruct y; [| discriminate]. repeat split; auto. now constructor.
  Qed.

  Lemma root_behind a b d q s : (exists sample K, length sample = d /\ prolongable l a sample K) -> follows b q ->
    s = node a b \/ s = node b a -> exists sample K, length sample = d + g + q /\ prolongable l s sample K.
  Proof.
    intros (SA & KA & LA & BA & RA) HB Hs. destruct (place KA) as (j & Hj).
    destruct (HB (S j * W)) as (SB & KB & LB & IB & BB & RB).
    assert (HW : j * W <= S j * W) by (cbn [Nat.mul]; lia).
    exists (SA ++ map (member_of W values j) (seq 0 g) ++ SB), KB.
    split; [rewrite !app_length, map_length, seq_length, <- LA, <- LB; apply Nat.add_assoc |]. split.
    { intros x i Hx Hi. apply in_app_or in Hx as [Hx | Hx]; [specialize (BA x i Hx Hi); lia |].
      apply in_app_or in Hx as [Hx | Hx]; [pose proof (group_bounds j x i Hx) | specialize (BB x i Hx Hi)]; lia. }
    intros y Hy F. rewrite !app_length, map_length, seq_length in Hy.
    assert (Hn : length y = d + g + q) by (rewrite Hy, <- LA, <- LB; apply Nat.add_assoc).
    rewrite <- (firstn_skipn d y) in F |- *. set (rest := skipn d y) in *.
    assert (Hr : length rest = g + q) by (unfold rest; rewrite skipn_length; lia).
    apply Forall_app in F as [F1 F]. rewrite <- (firstn_skipn g rest) in F |- *. apply Forall_app in F as [F2 F3].
    destruct (RA (firstn d y)) as (T1 & c1 & H1 & E1 & Hc1 & A1).
    { transitivity d; [rewrite firstn_length; lia | now symmetry]. }
    { auto. }
    destruct (RB (skipn g rest) (1 - c1)) as (T2 & c2 & H2 & Hc2 & E2 & L2 & A2);
      [rewrite skipn_length; lia | auto | lia |].
    destruct (joined T1 T2 c1 KA j (firstn g rest)) as (t & Ht & Lo & Hi & Mid); auto; [rewrite firstn_length; lia |].
    exists (Node t T1 T2), c2. split.
    { destruct Hs as [-> | ->]; [now apply node_has | now apply node_has_mirrored]. }
    split; [| split; [auto |]].
    - rewrite !map_app. f_equal; [| f_equal; [exact Mid |]].
      + rewrite <- E1. apply map_ext_in. intros x Hx. apply Lo. intros i Hil. now apply BA.
      + rewrite <- E2. apply map_ext_in. intros x Hx. apply Hi. intros i Hil. now apply BB.
    - intros x Hx. rewrite Hi; auto. intros i Hil. specialize (Hx i Hil). lia.
  Qed.

  Lemma promised_prolongable s n : promised l g s n ->
    exists sample K, length sample = n /\ prolongable l s sample K.
  Proof.
    induction 1 as [s d (A & LA & SA) | a b d q _ IH HB | a b d q _ IH HA].
    - destruct (shattered_prolongable l l_features s A SA) as (K & HK). now exists A, K.
    - apply (root_behind a b); auto using added_follows.
    - apply (root_behind b a); auto using added_follows.
  Qed.
End Subtrees.

Theorem several_subtrees :
  forall (l g d : nat) (T : structure), binomial g (g / 2) <= l -> promised l g T d ->
  VC_dimension_at_least (threshold_test natural_numbers l) T d.
Proof.
  intros l g d T Hg H. destruct (all_subsets_cut_off l g Hg) as (W & values & sets & C & E).
  destruct (promised_prolongable l g W values sets C E (some_feature l g Hg) T d H) as (sample & K & L & P).
  exists sample. split; auto. intros y Hy F. destruct (proj2 P y Hy F) as (T' & c & HT & Ey & _). now exists T'.
Qed.

(* ---- Eight nodes --------------------------------------------------------------------------------------------- *)

Definition chain_of_three : structure := node leaf chain_of_two.
Definition chain_of_four : structure := node leaf chain_of_three.

(* Ten examples, of which the first comes first along both features. *)
Definition ten_ranks : list nat := [0; 9; 2; 6; 4; 7; 1; 5; 8; 3].

Lemma chain_of_four_all : all_realizable ten_ranks chain_of_four = true.
Proof. vm_compute. reflexivity. Qed.

Lemma chain_of_four_behind : adds_behind 2 2 chain_of_four 9.
Proof.
  pose (example := fun i => ranked_example ten_ranks i : nat -> natural_numbers).
  apply (adds_own 2 2 chain_of_four (example 0) (map example (seq 1 9))).
  - exact (sample_shattered ten_ranks chain_of_four chain_of_four_all).
  - intros x i Hx Hi. apply in_map_iff in Hx as (j & <- & Hj). apply in_seq in Hj.
    assert (C : ranked_example ten_ranks 0 i < ranked_example ten_ranks j i); [| exact C].
    destruct i as [|[|]]; [| | lia].
    + change (0 < j). lia.
    + do 10 (destruct j as [|j]; [cbn; lia |]). lia.
Qed.

Theorem eight_nodes_shatter_nineteen_examples :
  VC_dimension_at_least (threshold_test natural_numbers 2) (node chain_of_three chain_of_four) 19.
Proof.
  apply (several_subtrees 2 2 19 _ (le_n 2)).
  apply (promised_left 2 2 chain_of_three chain_of_four 8 9); [apply promised_first | exact chain_of_four_behind].
  exact (dimension_at_least _ _ chain_of_three_all).
Qed.
