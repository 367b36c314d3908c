(* The identity of two squares (chapter "What is a leaf of a regression tree worth?").

   In words: let b be the distance of the truth from the best prediction that is constant on the cells of a tree, z
   the length of the noise on these cells, and w that of the noise along the direction of the truth. K times the error
   bound, less (K - 1) times the squared error, is a sum of two squares. *)

From Coq Require Import List Arith Ring Ring_theory.
From Treebounds Require Import Definitions SignPatterns.
Import ListNotations.

Definition square (F : ordered_ring) (u : F) : F := multiply F u u.

(* b^2 - z^2 + 2 b w + K (z^2 + w^2) *)
Definition error_bound (F : ordered_ring) (b w z K : F) : F :=
  add F (add F (subtract F (square F b) (square F z)) (add F (multiply F b w) (multiply F b w)))
    (multiply F K (add F (square F z) (square F w))).

Section Identity.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).

  Lemma two_squares_in_a_ring (b w z K : F) :
    subtract F (multiply F K (error_bound F b w z K))
      (multiply F (subtract F K (one_number F)) (add F (square F b) (square F z)))
    = add F (square F (add F b (multiply F K w))) (square F (multiply F z (subtract F K (one_number F)))).
  Proof. unfold error_bound, square. ring. Qed.
End Identity.

Theorem two_squares :
  forall (F : ordered_ring) (b w z K : F),
  subtract F (multiply F K (error_bound F b w z K))
    (multiply F (subtract F K (one_number F)) (add F (square F b) (square F z)))
  = add F (square F (add F b (multiply F K w))) (square F (multiply F z (subtract F K (one_number F)))).
Proof. exact two_squares_in_a_ring. Qed.
