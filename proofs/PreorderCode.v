(* Peng's code of a tree in preorder (chapter "Description length").

   In words: write a tree on d binary features in preorder, one block for each node (the feature that it asks, or the label
   that it predicts), and one more block for the end. No code of a tree begins the code of another one, with or without
   the last block. So Kraft's sum over any distinct trees is at most 1. *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting GrowthBound.
Import ListNotations.

(* A tree on d binary features with labels 0 and 1, as it is written down: features by their numbers 0, ..., d - 1. *)
Inductive written_tree : Type :=
  | Predict (label : nat)
  | Ask (feature : nat) (no yes : written_tree).

Fixpoint on_features (d : nat) (T : written_tree) : Prop :=
  match T with
  | Predict c => c < 2
  | Ask i a b => i < d /\ on_features d a /\ on_features d b
  end.

(* Internal nodes and leaves. *)
Fixpoint nodes (T : written_tree) : nat :=
  match T with Predict _ => 1 | Ask _ a b => 1 + nodes a + nodes b end.

(* The blocks: 0, ..., d - 1 for the features, d and d + 1 for the labels, d + 2 for the end. *)
Fixpoint preorder (d : nat) (T : written_tree) : list nat :=
  match T with
  | Predict c => [d + c]
  | Ask i a b => i :: preorder d a ++ preorder d b
  end.

Definition code (d : nat) (T : written_tree) : list nat := preorder d T ++ [d + 2].

Definition begins (u v : list nat) : Prop := exists rest, u ++ rest = v.

(* What is read first is the whole tree. *)
Lemma preorder_read d T : forall T' rest rest', on_features d T -> on_features d T' ->
  preorder d T ++ rest = preorder d T' ++ rest' -> T = T' /\ rest = rest'.
Proof.
  induction T as [c | i a IHa b IHb]; intros [c' | i' a' b'] rest rest' V V' E; cbn [preorder app on_features] in *.
  - injection E as E1 E2. split; auto. f_equal. lia.
  - injection E as E1 E2. lia.
  - injection E as E1 E2. lia.
  - injection E as E1 E2. rewrite <- !app_assoc in E2. destruct V as (_ & Va & Vb), V' as (_ & Va' & Vb').
    apply IHa in E2 as [<- E2]; auto. apply IHb in E2 as [<- E2]; auto. now subst.
Qed.

Theorem preorder_code_is_prefix_free :
  forall (d : nat) (T T' : written_tree), on_features d T -> on_features d T' ->
  begins (preorder d T) (preorder d T') \/ begins (code d T) (code d T') -> T = T'.
Proof.
  intros d T T' V V' [[rest E] | [rest E]].
  - rewrite <- (app_nil_r (preorder d T')) in E. now apply preorder_read in E.
  - unfold code in E. rewrite <- app_assoc in E. now apply preorder_read in E.
Qed.

(* ---- Kraft's inequality ------------------------------------------------------------------------------------------------- *)

Lemma preorder_length d T : length (preorder d T) = nodes T.
Proof. induction T; cbn; auto. now rewrite app_length, IHT1, IHT2. Qed.

Lemma preorder_blocks d T : on_features d T -> Forall (fun block => block < d + 3) (preorder d T).
Proof.
  induction T as [c | i a IHa b IHb]; cbn; intros V.
  - constructor; auto. lia.
  - destruct V as (Hi & Va & Vb). constructor; [lia |]. apply Forall_app. auto.
Qed.

(* A block takes log2 (d + 3) bits, so 2^(- bits) is (d + 3)^(- blocks). Times (d + 3)^K the sum is whole. *)
Theorem Kraft_sum_of_the_preorder_code :
  forall (d K : nat) (trees : list written_tree), NoDup trees ->
  (forall T, In T trees -> on_features d T /\ nodes T + 1 <= K) ->
  list_sum (map (fun T => (d + 3) ^ (K - (nodes T + 1))) trees) <= (d + 3) ^ K.
Proof.
  intros d K trees ND H.
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
      unfold code in Euv. rewrite <- !app_assoc in Euv. symmetry. eapply preorder_read; [apply H | apply H | exact Euv]; auto.
  - intros y Hy. apply in_flat_map in Hy as (T & HT & Hy). apply in_map_iff in Hy as (u & <- & Hu).
    apply all_labelings_spec in Hu as [Lu Fu]. destruct (H T HT) as [V B]. apply all_labelings_spec. split.
    + rewrite app_length, CL, Lu. lia.
    + apply Forall_app. split; auto. unfold code. apply Forall_app. split; [now apply preorder_blocks |]. constructor; auto. lia.
Qed.
