(* Sign patterns: the number of patterns of signs of the functions of a linear space (Cover 1965).

   In words: linear combinations of D functions, with coefficients in an ordered ring, have at most 2 (C(d - 1, 0) +
   ... + C(d - 1, D - 1)) patterns of signs on d >= 1 points at which they do not vanish. *)

From Coq Require Import List Arith Lia Bool Ring Ring_theory.
From Treebounds Require Import Definitions Counting.
Import ListNotations.

(* A commutative ring with positive elements: the real numbers, the rational numbers, the integers,
   or any other. *)
Record ordered_ring : Type := {
  number :> Type;
  zero_number : number;
  one_number : number;
  add : number -> number -> number;
  multiply : number -> number -> number;
  subtract : number -> number -> number;
  opposite : number -> number;
  positive : number -> bool;
  ring_laws : ring_theory zero_number one_number add multiply subtract opposite eq;
  zero_not_positive : positive zero_number = false;
  positive_or_opposite : forall u, u = zero_number \/ positive u = true \/ positive (opposite u) = true;
  positive_add : forall u v, positive u = true -> positive v = true -> positive (add u v) = true;
  positive_multiply : forall u v, positive u = true -> positive v = true -> positive (multiply u v) = true
}.

(* The number of patterns: the recursion, and the sum. *)
Fixpoint sign_patterns (d D : nat) : nat :=
  match d, D with
  | 0, _ => 1
  | S _, 0 => 0
  | S d', S D' => sign_patterns d' D + sign_patterns d' D'
  end.

Lemma sign_patterns_sum d D : sign_patterns (S d) D = 2 * sum D (binomial d).
Proof.
  revert D. induction d as [|d IH]; intros D.
  - destruct D as [|D]; auto. cbn [sign_patterns]. rewrite sum_first, binomial_0.
    rewrite (sum_ext D _ (fun _ => 0)) by (intros; now apply binomial_large, Nat.lt_0_succ).
      rewrite sum_const. lia.
  - destruct D as [|D]; auto. change (sign_patterns (S (S d)) (S D)) with (sign_patterns (S d) (S D) +
    sign_patterns (S d) D).
    rewrite !IH, (sum_first D (binomial (S d))), binomial_0.
    rewrite (sum_ext D (fun i => binomial (S d) (S i)) (fun i => binomial d i + binomial d (S i)))
      by (intros; apply binomial_S).
    rewrite sum_add, (sum_first D (binomial d)), binomial_0.
    change (sum D (fun i => binomial d i)) with (sum D (binomial d)). lia.
Qed.

Section Signs.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).

  Lemma not_both_positive (u : F) : positive F u = true -> positive F (opposite F u) = true -> False.
  Proof.
    intros H H'. pose proof (positive_add F _ _ H H') as P.
    replace (add F u (opposite F u)) with (zero_number F) in P by ring. rewrite zero_not_positive in P.
      discriminate.
  Qed.

  Fixpoint combination (w : list F) (Phi : list (nat -> F)) (x : nat) : F :=
    match w, Phi with
    | c :: w', phi :: Phi' => add F (multiply F c (phi x)) (combination w' Phi' x)
    | _, _ => zero_number F
    end.

  Definition signed (b : bool) (u : F) : F := if b then u else opposite F u.

  Definition has_signs (f : nat -> F) (A : list nat) (y : list bool) : Prop :=
    Forall2 (fun x b => positive F (signed b (f x)) = true) A y.

  Definition sign_realized (Phi : list (nat -> F)) (A : list nat) (y : list bool) : Prop :=
    exists w, length w = length Phi /\ has_signs (combination w Phi) A y.

  Lemma combination_vanishes w Phi x : (forall phi, In phi Phi -> phi x = zero_number F) ->
    combination w Phi x = zero_number F.
  Proof.
    revert w. induction Phi as [|phi Phi IH]; intros [|c w] H; cbn [combination]; auto.
    rewrite (H phi (or_introl eq_refl)), IH by (intros; apply H; cbn; auto). ring.
  Qed.

  Lemma combination_app w w' Phi Phi' x : length w = length Phi ->
    combination (w ++ w') (Phi ++ Phi') x = add F (combination w Phi x) (combination w' Phi' x).
  Proof.
    revert Phi. induction w as [|c w IH]; intros [|phi Phi] H; try discriminate; cbn [app combination];
      [ring |].
    rewrite IH by (now injection H). ring.
  Qed.

  Fixpoint mix (a b : F) (w w' : list F) : list F :=
    match w, w' with
    | c :: v, c' :: v' => add F (multiply F a c) (multiply F b c') :: mix a b v v'
    | _, _ => []
    end.

  Lemma mix_length a b w w' : length w = length w' -> length (mix a b w w') = length w.
  Proof. revert w'. induction w as [|c w IH]; intros [|c' w'] H; cbn in *; auto. Qed.

  Lemma combination_mix a b Phi x : forall w w', length w = length Phi -> length w' = length Phi ->
    combination (mix a b w w') Phi x =
    add F (multiply F a (combination w Phi x)) (multiply F b (combination w' Phi x)).
  Proof.
    induction Phi as [|phi Phi IH]; intros [|c w] [|c' w'] H H'; try discriminate; cbn [mix combination];
      [ring |].
    rewrite IH by (cbn in *; lia). ring.
  Qed.

  Lemma signed_mix y A f g a b : positive F a = true -> positive F b = true -> has_signs f A y ->
    has_signs g A y ->
    has_signs (fun x => add F (multiply F a (f x)) (multiply F b (g x))) A y.
  Proof.
    intros Ha Hb Hf. revert y Hf. induction A as [|x A IH]; intros y Hf Hg; inversion Hf; subst; constructor;
      inversion Hg; subst; auto; [| now apply IH].
    replace (signed y0 (add F (multiply F a (f x)) (multiply F b (g x)))) with
      (add F (multiply F a (signed y0 (f x))) (multiply F b (signed y0 (g x)))) by (destruct y0; cbn; ring).
    apply positive_add; apply positive_multiply; auto.
  Qed.

  (* The functions that vanish at x are spanned by one function less. *)
  Definition eliminated (phi : nat -> F) (x : nat) (psi : nat -> F) (z : nat) : F :=
    subtract F (multiply F (phi x) (psi z)) (multiply F (psi x) (phi z)).

  Lemma combination_eliminated phi x Psi z : forall w, length w = length Psi ->
    combination w (map (eliminated phi x) Psi) z =
    subtract F (multiply F (phi x) (combination w Psi z)) (multiply F (combination w Psi x) (phi z)).
  Proof.
    induction Psi as [|psi Psi IH]; intros [|c w] H; try discriminate; cbn [map combination]; [ring |].
    rewrite IH by (now injection H). unfold eliminated. ring.
  Qed.

  Lemma has_signs_scaled f g A y c : positive F c = true -> (forall z, g z = multiply F c (f z)) ->
    has_signs f A y -> has_signs g A y.
  Proof.
    intros Hc E H. induction H as [|z b A y Hz _ IH]; constructor; auto. rewrite E.
    replace (signed b (multiply F c (f z))) with (multiply F c (signed b (f z))) by (destruct b; cbn; ring).
    now apply positive_multiply.
  Qed.

  Lemma zero_or_not (Phi : list (nat -> F)) x :
    (forall phi, In phi Phi -> phi x = zero_number F) \/
    exists Phi1 phi Phi2, Phi = Phi1 ++ phi :: Phi2 /\
      (positive F (phi x) = true \/ positive F (opposite F (phi x)) = true).
  Proof.
    induction Phi as [|phi Phi IH]; [left; intros ? [] |].
    destruct (positive_or_opposite F (phi x)) as [Z | P].
    - destruct IH as [IH | (Phi1 & psi & Phi2 & -> & P)].
      + left. intros psi [<- | H]; auto.
      + right. exists (phi :: Phi1), psi, Phi2. auto.
    - right. exists [], phi, Phi. auto.
  Qed.

  Lemma add_zero_left (u : F) : add F (zero_number F) u = u.
  Proof. ring. Qed.

  Lemma has_signs_ext f g A y : (forall z, g z = f z) -> has_signs f A y -> has_signs g A y.
  Proof. intros E H. induction H as [|z b A y Hz _ IH]; constructor; auto. now rewrite E. Qed.

  Lemma combination_opposite w Phi x :
    combination (map (opposite F) w) Phi x = opposite F (combination w Phi x).
  Proof. revert Phi. induction w as [|c w IH]; intros [|phi Phi]; cbn [map combination]; try ring. rewrite IH.
    ring. Qed.

  Lemma split_weights (u : list F) (Phi1 : list (nat -> F)) phi Phi2 : length u = length (Phi1 ++ phi :: Phi2)
    ->
    exists u1 c u2, u = u1 ++ c :: u2 /\ length u1 = length Phi1 /\ length u2 = length Phi2.
  Proof.
    revert u. induction Phi1 as [|psi Phi1 IH]; intros [|c u] H; try discriminate; cbn in H.
    - exists [], c, u. repeat split. lia.
    - destruct (IH u ltac:(lia)) as (u1 & c' & u2 & -> & L1 & L2). exists (c :: u1), c', u2. cbn. auto.
  Qed.

  (* A pattern that both signs at x prolong is one of the functions that vanish at x. *)
  Lemma both_prolong Phi1 phi Phi2 x A y :
    positive F (phi x) = true \/ positive F (opposite F (phi x)) = true ->
    sign_realized (Phi1 ++ phi :: Phi2) (x :: A) (true :: y) ->
    sign_realized (Phi1 ++ phi :: Phi2) (x :: A) (false :: y) ->
    sign_realized (map (eliminated phi x) (Phi1 ++ Phi2)) A y.
  Proof.
    intros P (w & Lw & Hw) (v & Lv & Hv). set (Phi := Phi1 ++ phi :: Phi2) in *.
    inversion Hw as [|? ? ? ? Pw Hw']; inversion Hv as [|? ? ? ? Pv Hv']; subst. cbn [signed] in Pw, Pv.
    set (a := opposite F (combination v Phi x)) in *. set (b := combination w Phi x) in *.
    set (u := mix a b w v). assert (Lu : length u = length Phi) by (unfold u; rewrite mix_length; congruence).
    assert (Eu : forall z, combination u Phi z =
      add F (multiply F a (combination w Phi z)) (multiply F b (combination v Phi z)))
      by (intros z; now apply combination_mix).
    assert (Zu : combination u Phi x = zero_number F). { rewrite Eu. unfold a, b. ring. }
    assert (Su : has_signs (combination u Phi) A y).
    { eapply has_signs_ext; [| exact (signed_mix y A _ _ a b Pv Pw Hw' Hv')]. intros z. now rewrite Eu. }
    destruct (split_weights u Phi1 phi Phi2 Lu) as (u1 & c & u2 & -> & L1 & L2).
    assert (E : forall z, combination (u1 ++ u2) (map (eliminated phi x) (Phi1 ++ Phi2)) z =
      multiply F (phi x) (combination (u1 ++ c :: u2) Phi z)).
    { intros z. rewrite combination_eliminated by (rewrite !app_length; lia). unfold Phi in *.
      rewrite combination_app in Zu |- * by exact L1. cbn [combination] in Zu |- *.
      rewrite !combination_app by exact L1.
      replace (add F (combination u1 Phi1 x) (combination u2 Phi2 x)) with (opposite F (multiply F c (phi x)))
        by (rewrite <- (add_zero_left (opposite F _)), <- Zu; ring).
      cbn [combination]. ring. }
    destruct P as [P | P].
    - exists (u1 ++ u2). split; [rewrite map_length, !app_length; lia |].
      exact (has_signs_scaled _ _ A y _ P E Su).
    - exists (map (opposite F) (u1 ++ u2)). split; [rewrite !map_length, !app_length; lia |].
      apply (has_signs_scaled _ _ A y _ P) with (2 := Su). intros z. rewrite combination_opposite, E. ring.
  Qed.

  (* ---- Counting ------------------------------------------------------------------------------------------------- *)

  Definition tails (b : bool) (Y : list (list bool)) : list (list bool) :=
    flat_map (fun y => match y with c :: y' => if Bool.eqb b c then [y'] else [] | [] => [] end) Y.

  Lemma in_tails b Y y : In y (tails b Y) <-> In (b :: y) Y.
  Proof.
    unfold tails. rewrite in_flat_map. split.
    - intros ([|c y'] & H & H'); [destruct H' |]. destruct (Bool.eqb_spec b c) as [-> |]; [| destruct H'].
      destruct H' as [<- | []]. exact H.
    - intros H. exists (b :: y). split; auto. rewrite Bool.eqb_reflx. cbn. auto.
  Qed.

  Lemma tails_NoDup b Y : NoDup Y -> NoDup (tails b Y).
  Proof.
    intros ND. apply NoDup_flat_map; auto.
    - intros [|c y] _; [constructor |]. destruct (Bool.eqb b c); repeat constructor. intros [].
    - intros [|c y] [|c' y'] z _ _; cbn; try tauto. destruct (Bool.eqb_spec b c), (Bool.eqb_spec b c'); cbn;
      try tauto.
      intros [<- | []] [<- | []]. congruence.
  Qed.

  Lemma tails_length Y : (forall y, In y Y -> y <> []) -> length Y = length (tails true Y) + length (tails
    false Y).
  Proof.
    induction Y as [|y Y IH]; intros H; auto. specialize (IH (fun z Hz => H z (or_intror Hz))).
    destruct y as [|[|] y]; [now destruct (H [] (or_introl eq_refl)) | |];
      unfold tails in *; cbn; cbn in IH; lia.
  Qed.

  Definition known (Y : list (list bool)) (y : list bool) : bool :=
    if in_dec (list_eq_dec bool_dec) y Y then true else false.

  Lemma known_spec Y y : known Y y = true <-> In y Y.
  Proof. unfold known. destruct (in_dec _ y Y); split; congruence. Qed.

  Lemma filter_parts {X} (p : X -> bool) A :
    length A = length (filter p A) + length (filter (fun x => negb (p x)) A).
  Proof. induction A as [|x A IH]; cbn; auto. destruct (p x); cbn; lia. Qed.

  Lemma few_sign_patterns A : forall Phi Y, NoDup Y -> (forall y, In y Y -> sign_realized Phi A y) ->
    length Y <= sign_patterns (length A) (length Phi).
  Proof.
    induction A as [|x A IH]; intros Phi Y ND H.
    { assert (I : incl Y [[]]). { intros y Hy. destruct (H y Hy) as (w & _ & S). inversion S. cbn. auto. }
      apply NoDup_incl_length in I; auto. }
    assert (NE : forall y, In y Y -> y <> []). { intros y Hy. destruct (H y Hy) as (w & _ & S).
      now inversion S. }
    destruct (zero_or_not Phi x) as [Z | (Phi1 & phi & Phi2 & -> & P)].
    { destruct Y as [|y Y]; [cbn; lia |]. exfalso. destruct (H y (or_introl eq_refl)) as (w & _ & S).
      inversion S as [|? b ? ? Hb _]; subst. rewrite combination_vanishes in Hb by auto.
      destruct b; cbn [signed] in Hb; [| replace (opposite F (zero_number F)) with (zero_number F) in Hb
        by ring];
        rewrite zero_not_positive in Hb; discriminate. }
    set (Phi := Phi1 ++ phi :: Phi2) in *.
    assert (LP : length Phi = S (length (map (eliminated phi x) (Phi1 ++ Phi2))))
      by (unfold Phi; rewrite map_length, !app_length; cbn [length]; lia).
    assert (Short : forall b y, In (b :: y) Y -> sign_realized Phi A y).
    { intros b y Hy. destruct (H _ Hy) as (w & L & S). exists w. split; auto. now inversion S. }
    rewrite tails_length by exact NE. rewrite (filter_parts (known (tails true Y)) (tails false Y)), LP.
    cbn [length sign_patterns].
    assert (U : length (tails true Y ++ filter (fun y => negb (known (tails true Y) y)) (tails false Y)) <=
      sign_patterns (length A) (length Phi)).
    { apply IH.
      - apply NoDup_app_parts. split; [now apply tails_NoDup | split;
        [now apply NoDup_filter, tails_NoDup |]].
        intros y Hy Hy'. apply filter_In in Hy' as [_ K]. apply known_spec in Hy. rewrite Hy in K.
          discriminate.
      - intros y Hy. apply in_app_or in Hy as [Hy | Hy]; [| apply filter_In in Hy as [Hy _]];
        apply in_tails in Hy;
          eapply Short, Hy. }
    assert (I : length (filter (known (tails true Y)) (tails false Y)) <=
      sign_patterns (length A) (length (map (eliminated phi x) (Phi1 ++ Phi2)))).
    { apply IH; [now apply NoDup_filter, tails_NoDup |]. intros y Hy. apply filter_In in Hy as [Hy K].
      apply known_spec in K. apply in_tails in Hy, K. apply both_prolong; auto. }
    rewrite app_length, LP in U. cbn [length] in U. lia.
  Qed.
End Signs.
