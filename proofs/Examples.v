(* Examples that test the definitions: for the smallest trees they give the results that everybody expects. *)

From Coq Require Import List Arith Lia ZArith.
From Treebounds Require Import Definitions StumpBound SignPatterns.
Import ListNotations.

Example a_leaf_realizes_constants_only X (allowed : test X -> Prop) n sample y :
  realizes allowed n leaf sample y <-> exists c, c < n /\ y = repeat c (length sample).
Proof.
  assert (E : forall c : nat, map (fun _ => c) sample = repeat c (length sample)).
  { intros c. induction sample; cbn; congruence. }
  split.
  - intros (T & HT & <-). inversion HT; subst. exists c. split; auto. apply E.
  - intros (c & Hc & ->). exists (Leaf c). split; [now constructor | apply E].
Qed.

Example no_test_and_a_stump_realizes_nothing X n (sample : list X) y :
  ~ realizes (fun _ => False) n (node leaf leaf) sample y.
Proof. intros (T & HT & _). inversion HT; auto. Qed.

Definition point (v : nat) : nat -> natural_numbers := fun _ => v.

Example a_stump_on_one_feature_shatters_two_examples :
  shattered (threshold_test natural_numbers 1) (node leaf leaf) [point 0; point 1].
Proof.
  intros [|c [|c' [|]]] H F; try discriminate. inversion F as [|? ? Hc F']. inversion F' as [|? ? Hc' _].
    subst.
  exists (Node (fun x : nat -> natural_numbers => x 0 <=? 0) (Leaf c) (Leaf c')). split; auto.
  apply node_has; try now constructor. exists 0, 0. auto.
Qed.

Example a_stump_on_one_feature_never_shatters_three (R : linear_order) (u v w : nat -> R) :
  ~ shattered (threshold_test R 1) (node leaf leaf) [u; v; w].
Proof.
  intros H. pose proof (stump_VC_upper_bound R 1 [u; v; w] ltac:(cbn; lia) H) as B. vm_compute in B. lia.
Qed.

Example equal_examples_have_equal_labels (R : linear_order) (u : nat -> R) l s :
  ~ shattered (threshold_test R l) s [u; u].
Proof.
  intros H. destruct (H [0; 1] eq_refl) as (T & _ & E); [repeat constructor |]. cbn in E. congruence.
Qed.

Example the_integers_are_an_ordered_ring : exists F : ordered_ring, number F = Z.
Proof.
  unshelve eexists {| number := Z; ring_laws := Zth; positive := Z.ltb 0 |}; try reflexivity; intros *;
    rewrite ?Z.ltb_lt; lia.
Qed.
