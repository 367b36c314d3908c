(* The subtree rule (chapter "What is the VC dimension of a decision tree?"): one subtree may keep a sample of its
   own.

   In words: let B be a subtree of T, which is a node of T with all its descendants. If B shatters d examples on l
   features with natural numbers as values and C(g, floor(g / 2)) <= l, then T shatters d + (N_T - N_B) g examples on
   as many features of this kind. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting Chains LowerBound Groups.
Import ListNotations.

(* A subtree is a node with all its descendants; the tree and its leaves count. *)
Inductive subtree (B : structure) : structure -> Prop :=
  | subtree_itself : subtree B B
  | subtree_left a b : subtree B a -> subtree B (node a b)
  | subtree_right a b : subtree B b -> subtree B (node a b).

Section Subtree.
  Variables l g W : nat.
  Variable values : nat -> nat -> nat.
  Variable sets : list (list bool).
  Hypothesis l_features : 1 <= l.
  Hypothesis cuts : cuts_off l g W values sets.
  Hypothesis every_set : forall A, length A = g -> In A sets.

  Definition above (K : nat) (x : nat -> natural_numbers) : Prop := forall i, i < l -> K < x i.

  (* The sample lies at K or below; each labeling of it is realized
     by a tree that labels alike what lies above. *)
  Definition prolongable (s : structure) (sample : list (nat -> natural_numbers)) (K : nat) : Prop :=
    (forall x i, In x sample -> i < l -> x i <= K) /\
    forall y, length y = length sample -> Forall (fun c => c < 2) y ->
    exists T c, has_structure (threshold_test natural_numbers l) 2 T s /\ map (evaluate T) sample = y /\
      c < 2 /\ forall x, above K x -> evaluate T x = c.

  (* Thresholds above the whole sample may be moved down to just above it. *)
  Lemma tree_below K T s : has_structure (threshold_test natural_numbers l) 2 T s ->
    exists T' c, has_structure (threshold_test natural_numbers l) 2 T' s /\ c < 2 /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= K) -> evaluate T' x = evaluate T x) /\
      (forall x, above K x -> evaluate T' x = c).
  Proof.
    induction 1 as [c Hc | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & c1 & H1 & B1 & E1 & A1) _ (T2' & c2 & H2 &
      B2 & E2 & A2)
                         | q T1 T2 a b (i & t & Hi & Hq) _ (T1' & c1 & H1 & B1 & E1 & A1) _ (T2' & c2 & H2 &
                           B2 & E2 & A2)].
    { exists (Leaf c), c. repeat split; auto. now constructor. }
    all: exists (Node (fun x : nat -> natural_numbers => x i <=? Nat.min t K) T1' T2'), c2.
    all: split; [| split; [assumption | split]].
    1: apply node_has; auto; exists i, (Nat.min t K); auto.
    3: apply node_has_mirrored; auto; exists i, (Nat.min t K); auto.
    all: intros x Hx; cbn [evaluate].
    1, 3: specialize (Hx i Hi) as Hxi; rewrite Hq, E1, E2 by auto;
      change (le natural_numbers (x i) t) with (x i <=? t);
      destruct (Nat.leb_spec (x i) (Nat.min t K)), (Nat.leb_spec (x i) t); auto; lia.
    all: specialize (Hx i Hi) as Hxi; destruct (Nat.leb_spec (x i) (Nat.min t K)); [lia | now apply A2].
  Qed.

  Lemma bounded_sample (sample : list (nat -> natural_numbers)) :
    exists K, forall x i, In x sample -> i < l -> x i <= K.
  Proof.
    induction sample as [|x sample (K & H)]. { exists 0. intros x i []. }
    assert (M : exists K', forall i, i < l -> x i <= K').
    { clear. induction l as [|l' (K' & H)]. { exists 0. lia. }
      exists (Nat.max K' (x l')). intros i Hi. destruct (Nat.eq_dec i l') as [-> | N]; [lia |].
      specialize (H i ltac:(lia)). lia. }
    destruct M as (K' & H'). exists (Nat.max K K'). intros z i [<- | Hz] Hi;
      [specialize (H' i Hi) | specialize (H z i Hz Hi)]; lia.
  Qed.

  Lemma shattered_prolongable s sample : shattered (threshold_test natural_numbers l) s sample ->
    exists K, prolongable s sample K.
  Proof.
    intros H. destruct (bounded_sample sample) as (K & HK). exists K. split; auto. intros y Hy F.
    destruct (H y Hy F) as (T & HT & E). destruct (tree_below K T s HT) as (T' & c & HT' & Hc & E' & A).
    exists T', c. repeat split; auto. rewrite <- E. apply map_ext_in. intros x Hx. apply E'. auto.
  Qed.

  (* A new root, with the prolongable structure on one side and any structure b on the other. *)
  Lemma root_added a b sample K s : prolongable a sample K -> s = node a b \/ s = node b a ->
    exists sample' K', length sample' = length sample + S (internal_nodes b) * g /\ prolongable s sample' K'.
  Proof.
    intros (HB & H) Hs. set (N := internal_nodes b).
    assert (HW : 1 <= W) by (pose proof (proj1 (proj2 cuts) 0 0); lia).
    assert (Hj : exists j, K <= j * W) by (exists K; nia). destruct Hj as (j & Hj).
    exists (sample ++ groups g W values j (S N)), ((j + S N) * W). split;
      [now rewrite app_length, groups_length |].
    split.
    { intros x i Hx Hi. apply in_app_or in Hx as [Hx | Hx]. { specialize (HB x i Hx Hi). nia. }
      assert (G : forall M k, In x (groups g W values k M) -> x i <= (k + M) * W).
      { clear - cuts. induction M as [|M IH]; intros k Hx; [destruct Hx |]. cbn [groups] in Hx.
        apply in_app_or in Hx as [Hx | Hx].
        - apply in_map_iff in Hx as (e & <- & _). pose proof (member_of_bounds l g W values sets cuts k e i).
          nia.
        - apply IH in Hx. nia. }
      apply G, Hx. }
    intros y Hy F. rewrite app_length, groups_length in Hy.
    rewrite <- (firstn_skipn (length sample) y) in F |- *. apply Forall_app in F as [F1 F2].
    destruct (H (firstn (length sample) y)) as (T1 & c & HT1 & E1 & Hc & A1); [rewrite firstn_length;
      lia | auto |].
    destruct (spread_all g (S N) j (skipn (length sample) y)) as (f & Ef & Bf); [rewrite skipn_length;
      lia | auto |].
    destruct (tree_on_groups l g W values sets cuts every_set l_features b f (S j) (1 - c) Bf ltac:(lia))
      as (T2 & c' & HT2 & Hc' & Lo & Hi & Mid).
    destruct (cut_anywhere l g W values sets cuts every_set (fun e => f j e =? c)) as (i & t & Hil & Ht &
      Hcut).
    set (threshold := 1 + j * W + t).
    exists (Node (fun x : nat -> natural_numbers => x i <=? threshold) T1 T2), c'. split; [| split; [| split;
      [auto |]]].
    - assert (Q : threshold_test natural_numbers l (fun x : nat -> natural_numbers => x i <=? threshold))
        by (exists i, threshold; auto).
      destruct Hs as [-> | ->]; [now apply node_has | now apply node_has_mirrored].
    - rewrite map_app. f_equal.
      + rewrite <- E1. apply map_ext_in. intros x Hx. cbn [evaluate]. specialize (HB x i Hx Hil).
        destruct (Nat.leb_spec (x i) threshold) as [C | C]; auto. unfold threshold in C. lia.
      + rewrite Ef. apply labels_of_all_groups. intros k e Hk He. cbn [evaluate].
        pose proof (fun i' => member_of_bounds l g W values sets cuts k e i') as HM.
        destruct (Nat.eq_dec k j) as [-> | NE].
        * unfold member_of at 1. specialize (Hcut e He).
          replace (1 + j * W + values i e <=? threshold) with (values i e <=? t).
          2:{ unfold threshold. apply Bool.eq_true_iff_eq. rewrite !Nat.leb_le. lia. }
          rewrite <- Hcut. specialize (Bf j e). destruct (Nat.eqb_spec (f j e) c) as [-> | NE].
          -- apply A1. intros i' _. specialize (HM i'). lia.
          -- rewrite Lo; [lia |]. intros i' _. apply HM.
        * destruct (Nat.leb_spec (member_of W values k e i) threshold) as [C | C].
          { specialize (HM i). unfold threshold in C. nia. }
          apply Mid; auto. fold N. lia.
    - intros x Hx. cbn [evaluate]. specialize (Hx i Hil) as Hxi.
      destruct (Nat.leb_spec (x i) threshold) as [C | C]. { unfold threshold in C. nia. }
      apply Hi. intros i' Hi'. specialize (Hx i' Hi'). fold N. nia.
  Qed.

  Lemma subtree_prolongable B s d : subtree B s -> VC_dimension_at_least (threshold_test natural_numbers l) B
    d ->
    exists sample K, length sample = d + (internal_nodes s - internal_nodes B) * g /\
      prolongable s sample K /\
      internal_nodes B <= internal_nodes s.
  Proof.
    intros H (A & LA & SA). induction H as [| a b H IH | a b H IH].
    - destruct (shattered_prolongable B A SA) as (K & HK). exists A, K. rewrite Nat.sub_diag. split;
      [lia | auto].
    - destruct IH as (S1 & K & L & P & I).
      destruct (root_added a b S1 K (node a b) P (or_introl eq_refl)) as (S2 & K' & L' & P').
      exists S2, K'. cbn [internal_nodes]. split; [rewrite L', L; nia | split; [auto | lia]].
    - destruct IH as (S1 & K & L & P & I).
      destruct (root_added b a S1 K (node a b) P (or_intror eq_refl)) as (S2 & K' & L' & P').
      exists S2, K'. cbn [internal_nodes]. split; [rewrite L', L; nia | split; [auto | lia]].
  Qed.
End Subtree.

Theorem subtree_rule :
  forall (l g d : nat) (B T : structure), subtree B T -> binomial g (g / 2) <= l ->
  VC_dimension_at_least (threshold_test natural_numbers l) B d ->
  VC_dimension_at_least (threshold_test natural_numbers l) T (d + (internal_nodes T - internal_nodes B) * g).
Proof.
  intros l g d B T H Hg HB. destruct (all_subsets_cut_off l g Hg) as (W & values & sets & C & E).
  destruct (subtree_prolongable l g W values sets (some_feature l g Hg) C E B T d H HB) as (sample & K & L & P
    & _).
  exists sample. split; auto. intros y Hy F. destruct (proj2 P y Hy F) as (T' & c & HT & Ey & _).
    now exists T'.
Qed.
