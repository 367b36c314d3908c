(* Sums of trees (chapter "What do many trees cost?"), from below.

   In words: let one or more structures have M internal nodes in all. If C(g, floor(g / 2)) <= l, the sums of trees
   with these structures on l features with natural numbers as values, compared with a threshold, shatter a sample of
   1 + M g examples, even if each leaf holds 0 or 1. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting Chains LowerBound Groups.
Import ListNotations.

Definition sum_of_trees {X} (trees : list (decision_tree X)) (x : X) : nat :=
  list_sum (map (fun T => evaluate T x) trees).

(* Trees of the given structures, one of each, whose leaves hold 0 or 1, and a threshold for their sum. *)
Definition sums_shatter {X} (allowed : test X -> Prop) (structures : list structure) (sample : list X) : Prop
  :=
  forall y, length y = length sample -> Forall (fun c => c < 2) y ->
  exists trees threshold, Forall2 (has_structure allowed 2) trees structures /\
    map (fun x => if threshold <? sum_of_trees trees x then 1 else 0) sample = y.

Definition all_nodes (structures : list structure) : nat := list_sum (map internal_nodes structures).

Section ManyTrees.
  Variables l g W : nat.
  Variable values : nat -> nat -> nat.
  Variable sets : list (list bool).
  Hypothesis cuts : cuts_off l g W values sets.
  Hypothesis every_set : forall A, length A = g -> In A sets.
  Hypothesis l_features : 1 <= l.

  (* The first leaf of each tree has the label of the last leaf of the tree before. So all trees but one together
     give each example of a group the same number C, and the remaining tree gives it its class. *)
  Lemma trees_on_groups f ss : (forall k e, f k e < 2) -> forall s j c, c < 2 ->
    exists trees C c', Forall2 (has_structure (threshold_test natural_numbers l) 2) trees (s :: ss) /\
      c' < 2 /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> x i <= j * W) ->
        sum_of_trees trees x = C + c) /\
      (forall x : nat -> natural_numbers, (forall i, i < l -> (j + all_nodes (s :: ss)) * W < x i) ->
        sum_of_trees trees x = C + c') /\
      (forall k e, j <= k < j + all_nodes (s :: ss) -> e < g ->
        sum_of_trees trees (member_of W values k e) = C + f k e).
  Proof.
    intros B. induction ss as [|s' ss IH]; intros s j c Hc;
      destruct (tree_on_groups l g W values sets cuts every_set l_features s f j c B Hc)
        as (T & c1 & HT & Hc1 & Lo & Hi & Mid).
    - assert (SUM : forall x, sum_of_trees [T] x = evaluate T x) by (intros; unfold sum_of_trees; cbn; lia).
      assert (E : all_nodes [s] = internal_nodes s) by (unfold all_nodes; cbn; lia).
      exists [T], 0, c1. rewrite E. cbn [Nat.add]. repeat split; auto; intros; rewrite SUM; auto.
    - destruct (IH s' (j + internal_nodes s) c1 Hc1) as (trees & C & c' & HF & Hc' & Lo' & Hi' & Mid').
      set (N := internal_nodes s) in *. assert (E : all_nodes (s :: s' :: ss) = N + all_nodes (s' :: ss))
        by reflexivity.
      exists (T :: trees), (C + c1), c'. rewrite E. rewrite <- Nat.add_assoc in Hi', Mid'.
      assert (SUM : forall x, sum_of_trees (T :: trees) x = evaluate T x + sum_of_trees trees x)
        by reflexivity.
      split; [auto | split; [auto | split; [| split]]].
      + intros x Hx. rewrite SUM, (Lo x), (Lo' x); [lia | |]; intros i Hil; specialize (Hx i Hil); nia.
      + intros x Hx. rewrite SUM, (Hi x), (Hi' x); [lia | |]; intros i Hil; specialize (Hx i Hil); nia.
      + intros k e Hk He. rewrite SUM.
        pose proof (fun i => member_of_bounds l g W values sets cuts k e i) as HM.
        destruct (Nat.lt_ge_cases k (j + N)) as [L | L].
        * rewrite (Mid k e), (Lo' (member_of W values k e)); [lia | | lia | auto]. intros i _.
          specialize (HM i). nia.
        * rewrite (Hi (member_of W values k e)), (Mid' k e); [lia | lia | auto |]. intros i _.
          specialize (HM i). nia.
  Qed.
End ManyTrees.

Theorem sums_of_trees_lower_bound :
  forall (l g : nat) (structures : list structure), binomial g (g / 2) <= l -> structures <> [] ->
  exists sample, length sample = 1 + all_nodes structures * g /\
    sums_shatter (threshold_test natural_numbers l) structures sample.
Proof.
  intros l g [|s ss] H NE; [easy |]. destruct (all_subsets_cut_off l g H) as (W & values & sets & C & E).
  exists (origin :: groups g W values 0 (all_nodes (s :: ss))).
  split; [cbn [length]; now rewrite groups_length |].
  intros [|c y] Ly Fy; [discriminate |]. cbn [length] in Ly. rewrite groups_length in Ly.
  inversion Fy as [|? ? Hc F]; subst.
  destruct (spread_all g (all_nodes (s :: ss)) 0 y) as (f & Ef & B); [lia | auto |].
  destruct (trees_on_groups l g W values sets C E (some_feature l g H) f ss B s 0 c Hc)
    as (trees & K & c' & HF & _ & Lo & _ & Mid).
  exists trees, K. split; auto. cbn [map]. f_equal.
  - rewrite Lo by (intros; apply Nat.le_0_l). destruct (Nat.ltb_spec K (K + c)); lia.
  - rewrite Ef. apply labels_of_all_groups. intros k e Hk He. rewrite Mid by auto. specialize (B k e).
    destruct (Nat.ltb_spec K (K + f k e)); lia.
Qed.
