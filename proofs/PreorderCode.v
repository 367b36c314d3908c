(* Peng's code of a tree in preorder (chapter "Description length").

   In words: write a tree with two classes on d features in preorder, with one block for each node (the feature that
   it tests, or the label that it predicts), and one more block for the end. A node has a branch for each value of its
   feature; a binary feature has two. The code of a tree does not begin with the code of another tree, with or without
   the last block in both. So Kraft's sum over any distinct trees is at most 1. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting GrowthBound.
Import ListNotations.

(* A tree on d features with labels 0 and 1, as it is written down: features by their numbers 0, ..., d - 1. *)
Inductive written_tree : Type :=
  | Predict (label : nat)
  | Ask (feature : nat) (branches : list written_tree).

(* A node that tests feature i has "values i" branches; for binary features this is 2. *)
Inductive on_features (d : nat) (values : nat -> nat) : written_tree -> Prop :=
  | predicts c : c < 2 -> on_features d values (Predict c)
  | asks i branches : i < d -> length branches = values i -> Forall (on_features d values) branches ->
      on_features d values (Ask i branches).

(* Internal nodes and leaves. *)
Fixpoint nodes (T : written_tree) : nat :=
  match T with Predict _ => 1 | Ask _ branches => 1 + list_sum (map nodes branches) end.

(* The blocks: 0, ..., d - 1 for the features, d and d + 1 for the labels, d + 2 for the end. *)
Fixpoint preorder (d : nat) (T : written_tree) : list nat :=
  match T with
  | Predict c => [d + c]
  | Ask i branches => i :: flat_map (preorder d) branches
  end.

Definition code (d : nat) (T : written_tree) : list nat := preorder d T ++ [d + 2].

Definition begins (u v : list nat) : Prop := exists rest, u ++ rest = v.

Lemma tree_induction (P : written_tree -> Prop) : (forall c, P (Predict c)) ->
  (forall i branches, Forall P branches -> P (Ask i branches)) -> forall T, P T.
Proof.
  intros H1 H2. fix IH 1. intros [c | i branches]; [apply H1 | apply H2].
  induction branches as [|T branches IHb]; constructor; [apply IH | exact IHb].
Qed.

(* Reading from the start of a code gives the whole tree, and the rest is unread. *)
Lemma preorder_read d values T : forall T' rest rest', on_features d values T -> on_features d values T' ->
  preorder d T ++ rest = preorder d T' ++ rest' -> T = T' /\ rest = rest'.
Proof.
  induction T as [c | i branches IH] using tree_induction; intros [c' | i' branches'] rest rest' V V' E;
    cbn [preorder app] in E; inversion V; inversion V'; subst; injection E as E1 E2; try lia.
  - split; auto. f_equal. lia.
  - subst i'. assert (R : branches = branches' /\ rest = rest'); [| now destruct R as [<- <-]].
    assert (HL : length branches = length branches') by congruence.
    assert (F : Forall (on_features d values) branches) by assumption.
    assert (F' : Forall (on_features d values) branches') by assumption.
    clear - IH HL F F' E2. revert branches' rest rest' HL F' E2.
    induction IH as [| T branches HT _ IHb]; intros [|T' branches'] rest rest' HL F' E; try discriminate; auto.
    inversion F; inversion F'; subst. cbn [flat_map] in E. rewrite <- !app_assoc in E. apply HT in E as [<- E]; auto.
    injection HL as HL. apply IHb in E as [<- <-]; auto.
Qed.

Theorem preorder_code_is_prefix_free :
  forall (d : nat) (values : nat -> nat) (T T' : written_tree), on_features d values T -> on_features d values T' ->
  begins (preorder d T) (preorder d T') \/ begins (code d T) (code d T') -> T = T'.
Proof.
  intros d values T T' V V' [[rest E] | [rest E]].
  - rewrite <- (app_nil_r (preorder d T')) in E. now apply (preorder_read d values) in E.
  - unfold code in E. rewrite <- app_assoc in E. now apply (preorder_read d values) in E.
Qed.

(* ---- Kraft's inequality ------------------------------------------------------------------------------------------------- *)

Lemma preorder_length d T : length (preorder d T) = nodes T.
Proof.
  induction T as [c | i branches IH] using tree_induction; auto. cbn [preorder nodes length Nat.add]. f_equal.
  induction IH as [| T branches HT _ IHb]; auto. cbn [flat_map map]. rewrite app_length, HT, IHb. reflexivity.
Qed.

Lemma preorder_blocks d values T : on_features d values T -> Forall (fun block => block < d + 3) (preorder d T).
Proof.
  induction T as [c | i branches IH] using tree_induction; intros V; inversion V; subst; cbn [preorder];
    (constructor; [lia |]); auto.
  assert (F : Forall (on_features d values) branches) by assumption. clear - IH F.
  induction IH as [| T branches HT _ IHb]; cbn [flat_map]; auto. inversion F; subst. apply Forall_app. auto.
Qed.

(* A block takes log2 (d + 3) bits, so 2^(- bits) is (d + 3)^(- blocks). Times (d + 3)^K the sum is whole. *)
Theorem Kraft_sum_of_the_preorder_code :
  forall (d K : nat) (values : nat -> nat) (trees : list written_tree), NoDup trees ->
  (forall T, In T trees -> on_features d values T /\ nodes T + 1 <= K) ->
  list_sum (map (fun T => (d + 3) ^ (K - (nodes T + 1))) trees) <= (d + 3) ^ K.
Proof.
  intros d K values trees ND H.
  assert (CL : forall T, length (code d T) = nodes T + 1) by (intros; unfold code; now rewrite app_length, preorder_length).
  set (F := fun T => map (app (code d T)) (all_labelings (d + 3) (K - (nodes T + 1)))).
  assert (E : list_sum (map (fun T => (d + 3) ^ (K - (nodes T + 1))) trees) = length (flat_map F trees)).
  { clear. induction trees as [|T L IH]; auto. cbn [map list_sum flat_map fold_right]. rewrite app_length.
    change (fold_right Nat.add 0 (map (fun T => (d + 3) ^ (K - (nodes T + 1))) L))
      with (list_sum (map (fun T => (d + 3) ^ (K - (nodes T + 1))) L)).
    rewrite IH. unfold F at 2. now rewrite map_length, all_labelings_length. }
  rewrite E, <- (all_labelings_length (d + 3) K). apply NoDup_incl_length.
  - apply NoDup_flat_map; auto.
    + intros T _. apply NoDup_map_injective; [apply all_labelings_NoDup |]. intros u v _ _ Euv. now apply app_inv_head in Euv.
    + intros T T' y HT HT' Hy Hy'. apply in_map_iff in Hy as (u & <- & _), Hy' as (v & Euv & _).
      unfold code in Euv. rewrite <- !app_assoc in Euv. symmetry. eapply (preorder_read d values); [apply H | apply H | exact Euv]; auto.
  - intros y Hy. apply in_flat_map in Hy as (T & HT & Hy). apply in_map_iff in Hy as (u & <- & Hu).
    apply all_labelings_spec in Hu as [Lu Fu]. destruct (H T HT) as [V B]. apply all_labelings_spec. split.
    + rewrite app_length, CL, Lu. lia.
    + apply Forall_app. split; auto. unfold code. apply Forall_app. split; [now apply (preorder_blocks d values) |]. constructor; auto. lia.
Qed.
