(* Groups: samples of groups of g examples, one group for each internal node, where l orders cut off every
   subset of a group. Any two classes of the examples are then realized by a tree whose leaves have the
   classes 0 and 1 in turn. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting Chains LowerBound.
Import ListNotations.

(* If C(g, floor(g / 2)) <= l, l functions cut off every subset of g examples. *)
Lemma all_subsets_cut_off l g : binomial g (g / 2) <= l ->
  exists W values sets, cuts_off l g W values sets /\ forall A, length A = g -> In A sets.
Proof.
  intros H. destruct (most_cuts l g) as (values & sets & HC & HS). exists (g + 2), values, sets. split; auto.
  assert (I : incl (all_sets g) sets).
  { assert (incl sets (all_sets g)) by (intros A HA; apply all_sets_spec, HC, HA).
    apply NoDup_length_incl; auto; [apply HC |]. rewrite HS.
    rewrite (sum_ext _ _ (binomial g)) by (intros k _; pose proof (binomial_central g k); lia).
    rewrite sum_binomial. clear. induction g as [|g IH]; auto. cbn [all_sets Nat.pow].
    rewrite app_length, !map_length. lia. }
  intros A HA. apply I, all_sets_spec, HA.
Qed.

Lemma some_feature l g : binomial g (g / 2) <= l -> 1 <= l.
Proof. intros H. pose proof (binomial_positive g (g / 2)). pose proof (half_bounds g). lia. Qed.

Section Groups.
  Variables l g W : nat.
  Variable values : nat -> nat -> nat.

  (* f k e is the class of example e of group k; "spread f k N" lists those of the groups k, ..., k + N - 1.
     *)
  Fixpoint spread (f : nat -> nat -> nat) (k N : nat) : list nat :=
    match N with 0 => [] | S N' => map (f k) (seq 0 g) ++ spread f (S k) N' end.

  Lemma spread_ext f f' N : forall k, (forall k' e, k <= k' < k + N -> e < g -> f k' e = f' k' e) ->
    spread f k N = spread f' k N.
  Proof.
    induction N as [|N IH]; intros k H; auto. cbn [spread]. f_equal.
    - apply map_ext_in. intros e He. apply in_seq in He. apply H; lia.
    - apply IH. intros. apply H; lia.
  Qed.

  Lemma spread_length f k N : length (spread f k N) = N * g.
  Proof. revert k. induction N; intros k; cbn; auto. rewrite app_length, map_length, seq_length, IHN. lia.
    Qed.

  Lemma spread_all N : forall k (y : list nat), length y = N * g -> Forall (fun c => c < 2) y ->
    exists f, y = spread f k N /\ forall k' e, f k' e < 2.
  Proof.
    induction N as [|N IH]; intros k y Hy F.
    { exists (fun _ _ => 0). split; [now destruct y | auto]. }
    rewrite <- (firstn_skipn g y) in F |- *. apply Forall_app in F as [F1 F2].
    destruct (IH (S k) (skipn g y)) as (f & E & B); [rewrite skipn_length; lia | auto |].
    exists (fun k' e => if k' =? k then nth e (firstn g y) 0 else f k' e). split.
    - cbn [spread]. f_equal.
      + rewrite (map_ext _ (fun e => nth e (firstn g y) 0)) by (intros; now rewrite Nat.eqb_refl).
        assert (L : length (firstn g y) = g) by (rewrite firstn_length; lia).
        rewrite <- L at 2. symmetry. apply GrowthBound.map_nth_seq.
      + rewrite E at 1. apply spread_ext. intros k' e Hk _. destruct (Nat.eqb_spec k' k); [lia | reflexivity].
    - intros k' e. destruct (k' =? k); auto. destruct (Nat.lt_ge_cases e (length (firstn g y))) as [L | L].
      + rewrite Forall_forall in F1. apply F1, nth_In, L.
      + rewrite nth_overflow; auto.
  Qed.

  Lemma labels_of_all_groups (F : (nat -> natural_numbers) -> nat) f N : forall j,
    (forall k e, j <= k < j + N -> e < g -> F (member_of W values k e) = f k e) ->
    map F (groups g W values j N) = spread f j N.
  Proof.
    induction N as [|N IH]; intros j H; auto. cbn [groups spread]. rewrite map_app. f_equal.
    - rewrite map_map. apply map_ext_in. intros e He. apply in_seq in He. apply H; lia.
    - apply IH. intros. apply H; lia.
  Qed.

  Variable sets : list (list bool).
  Hypothesis cuts : cuts_off l g W values sets.
  Hypothesis every_set : forall A, length A = g -> In A sets.

  Lemma member_of_bounds k e i : k * W < member_of W values k e i <= S k * W.
  Proof. clear every_set. unfold member_of. pose proof (proj1 (proj2 cuts) i e). cbn. lia. Qed.

  Lemma cut_anywhere (p : nat -> bool) :
    exists i t, i < l /\ t < W /\ forall e, e < g -> p e = (values i e <=? t).
  Proof.
    destruct (proj2 (proj2 cuts) (map p (seq 0 g))) as (_ & i & t & Hi & Ht & H).
    { apply every_set. now rewrite map_length, seq_length. }
    exists i, t. repeat split; auto. intros e He. rewrite <- (H e He). symmetry.
      now apply GrowthBound.map_nth_in_seq.
  Qed.

  (* The leaves have the classes c, 1 - c, c, ...; node k cuts off the examples of its group with the class
     before. *)
  Fixpoint alternating (f : nat -> nat -> nat) (c j N : nat) : list step :=
    match N with 0 => [] | S N' => (map (fun e => f j e =? c) (seq 0 g),
      1 - c) :: alternating f (1 - c) (S j) N' end.

  Lemma alternating_length f c j N : length (alternating f c j N) = N.
  Proof. revert c j. induction N; intros; cbn [alternating length]; auto. Qed.

  Lemma alternating_possible f c j N : Forall (possible 2 g sets) (alternating f c j N).
  Proof.
    revert c j. induction N; intros; cbn [alternating]; constructor; auto. split; [left;
      cbn [fst] | cbn [snd]; lia]. apply every_set.
    now rewrite map_length, seq_length.
  Qed.

  Lemma label_at_alternating f N : (forall k e, f k e < 2) -> forall c j k e, c < 2 -> k < N -> e < g ->
    label_at c (alternating f c j N) k e = f (j + k) e.
  Proof.
    intros B. induction N as [|N IH]; intros c j k e Hc Hk He; [lia |]. cbn [alternating label_at].
      destruct k as [|k].
    - rewrite GrowthBound.map_nth_in_seq, Nat.add_0_r by exact He. cbv beta. specialize (B j e).
      destruct (Nat.eqb_spec (f j e) c); lia.
    - rewrite IH by lia. f_equal. lia.
  Qed.

  Lemma last_label_bound f N : forall c j, c < 2 -> last_label c (alternating f c j N) < 2.
  Proof. induction N; intros c j H; cbn [alternating last_label]; auto. apply IHN. lia. Qed.

  Hypothesis l_features : 1 <= l.

  (* A tree for the groups j, j + 1, ...: what lies below them gets c, and what lies above them some c'. *)
  Lemma tree_on_groups s f j c : (forall k e, f k e < 2) -> c < 2 ->
    exists T c', has_structure (threshold_test natural_numbers l) 2 T s /\ c' < 2 /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= j * W) -> evaluate T x = c) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> (j + internal_nodes s) * W < x i) ->
        evaluate T x = c') /\
      (forall k e, j <= k < j + internal_nodes s -> e < g -> evaluate T (member_of W values k e) = f k e).
  Proof.
    intros B Hc. set (steps := alternating f c j (internal_nodes s)).
    assert (HL : length steps = internal_nodes s) by apply alternating_length.
    destruct (tree_for_steps 2 l g W values sets l_features cuts s steps j c HL Hc (alternating_possible _ _ _
      _))
      as (T & HT & Lo & Hi & Mid).
    exists T, (last_label c steps). repeat split; auto; [now apply last_label_bound | rewrite HL in Hi;
      auto |].
    intros k e Hk He. replace k with (j + (k - j)) at 1 by lia. rewrite Mid by lia.
    unfold steps. rewrite label_at_alternating by (auto; lia). f_equal. lia.
  Qed.
End Groups.
