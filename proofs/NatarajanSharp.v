(* The upper bound of the Natarajan dimension, with the constant of two classes (chapter "More on the VC dimension of
   trees").

   In words: if a structure with N internal nodes on l features with values in any linear order shatters d >= 1
   examples in the sense of Natarajan, then 2^d <= 2 sum_j C(N, j) (2 l)^j C(d - 1, j), whatever the number of classes.

   The proof differs from the one in the book where a node has a leaf: it counts along the order of the examples, one
   example after the other, and needs no other case for pairs of classes without a cycle of odd length. *)

From Coq Require Import List Arith Lia Permutation Bool.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Patterns Natarajan StumpBound.
Import ListNotations.

(* ---- Few patterns ---------------------------------------------------------------------------------------------- *)

Lemma few_incl A B K P : incl A B -> few B K P -> few A K P.
Proof.
  intros I (E & HE & H). exists E. split; auto. intros f Hf. destruct (H f Hf) as (g & Hg & Ag).
  exists g. split; auto. intros x Hx. apply Ag, I, Hx.
Qed.

(* One more example, whose value is determined by the values of the others. *)
Lemma few_cons x L K (P P' : (nat -> nat) -> Prop) (v : (nat -> nat) -> nat) :
  few L K P -> (forall f, P' f -> P f /\ f x = v f) -> (forall f g, agree L f g -> v f = v g) ->
  few (x :: L) K P'.
Proof.
  intros (E & HE & H) HP Hv. exists (map (fun g y => if y =? x then v g else g y) E). rewrite map_length.
  split; auto. intros f Hf. destruct (HP f Hf) as (Pf & Vf). destruct (H f Pf) as (g & Hg & Ag).
  exists (fun y => if y =? x then v g else g y). split; [now apply (in_map (fun g y => if y =? x then v g else g y)) |].
  intros y Hy. destruct (Nat.eqb_spec y x) as [-> | N]; [rewrite Vf; now apply Hv |].
  destruct Hy as [-> | Hy]; [easy | now apply Ag].
Qed.

(* Functions with P become functions with P', from which they can be read off. *)
Lemma few_read_off A K (P P' : (nat -> nat) -> Prop) (to : (nat -> nat) -> nat -> nat) (from : nat -> nat -> nat) :
  (forall f, P f -> P' (to f) /\ forall x, In x A -> f x = from x (to f x)) -> few A K P' -> few A K P.
Proof.
  intros HP (E & HE & H). exists (map (fun g x => from x (g x)) E). rewrite map_length. split; auto.
  intros f Hf. destruct (HP f Hf) as (Pf & R). destruct (H (to f) Pf) as (g & Hg & Ag).
  exists (fun x => from x (g x)). split; [now apply (in_map (fun g x => from x (g x))) |].
  intros x Hx. rewrite R, Ag by auto. reflexivity.
Qed.

Lemma some_or_none (P : nat -> Prop) K : (forall i, P i \/ ~ P i) ->
  (exists i, i < K /\ P i) \/ forall i, i < K -> ~ P i.
Proof.
  intros D. induction K as [|K IH]; [right; lia |]. destruct IH as [(i & Hi & H) | H].
  - left. exists i. auto.
  - destruct (D K) as [HK | HK]; [left; eauto |]. right. intros i Hi. destruct (Nat.eq_dec i K) as [-> |]; auto.
    apply H. lia.
Qed.

Lemma all_or_some (P : nat -> Prop) A : (forall x, P x \/ ~ P x) ->
  (forall x, In x A -> P x) \/ exists x, In x A /\ ~ P x.
Proof.
  intros D. induction A as [|x A IH]; [left; intros ? [] |].
  destruct IH as [H | (y & Hy & H)]; [| right; exists y; cbn; auto].
  destruct (D x) as [Hx | Hx]; [left; intros y [<- | Hy]; auto | right; exists x; cbn; auto].
Qed.

Section Sharp.
  Variable l : nat.
  Variable rank : nat -> nat -> nat.
  Variable points : list nat.
  Variables first second : nat -> nat.
  Hypothesis different : forall x, In x points -> first x <> second x.

  (* The example x has the class c: the pattern 0 is the first class, 1 the second one. *)
  Definition has (f : nat -> nat) (x c : nat) : Prop := (f x = 0 /\ first x = c) \/ (f x = 1 /\ second x = c).

  Definition alone : list nat -> (nat -> nat) -> Prop := one_label first second.
  Definition realized : structure -> list nat -> (nat -> nat) -> Prop := pattern l rank points alone.
  Definition few_realized : structure -> (nat -> nat) -> Prop := few_patterns l rank points alone.

  Lemma alone_incl A B f : incl A B -> alone B f -> alone A f.
  Proof. intros H (c & Hc). exists c. intros x Hx. apply Hc, H, Hx. Qed.

  Lemma alone_bounded A f x : alone A f -> In x A -> f x < 2.
  Proof. intros (c & Hc) Hx. destruct (Hc x Hx) as [[-> _] | [-> _]]; auto. Qed.

  Lemma realized_incl s A B f : incl A B -> realized s B f -> realized s A f.
  Proof. apply pattern_incl. exact alone_incl. Qed.

  Lemma realized_bounded s A f x : realized s A f -> In x A -> f x < 2.
  Proof. apply pattern_bounded. exact alone_bounded. Qed.

  Lemma alone_short A f : incl A points -> length A <= 1 -> (forall x, In x A -> f x < 2) -> alone A f.
  Proof.
    intros _ L H. destruct A as [|x [|]]; cbn in L; [exists 0; intros ? [] | | lia].
    specialize (H x (or_introl eq_refl)). exists (if f x =? 0 then first x else second x).
    intros y [<- | []]. destruct (Nat.eqb_spec (f x) 0); lia.
  Qed.

  Lemma two_of_one x (P : (nat -> nat) -> Prop) : (forall f, P f -> f x < 2) -> few [x] 2 P.
  Proof. intros H. apply few_of_one; auto. intros f y Hf [<- | []]. auto. Qed.

  (* A cut of an order of two or more examples leaves no side empty. *)
  Lemma proper a b A f : NoDup A -> incl A points -> 2 <= length A -> realized (node a b) A f ->
    exists i x, i < l /\ x < length A - 1 /\
      ((realized a (firstn (S x) (order rank i A)) f /\ realized b (skipn (S x) (order rank i A)) f) \/
       (realized b (firstn (S x) (order rank i A)) f /\ realized a (skipn (S x) (order rank i A)) f)).
  Proof.
    intros ND HA H2 Hf. assert (Hb : forall x, In x A -> f x < 2) by (intros x; apply (realized_bounded _ _ _ _ Hf)).
    destruct Hf as (q & Hq & Hf). destruct (cut_order 2 l (le_n 2) rank points q A Hq HA) as (i & k & Hi & Hk & I1 & I2).
    assert (P : forall c d, realized c (firstn k (order rank i A)) f -> realized d (skipn k (order rank i A)) f ->
      exists x, x < length A - 1 /\ realized c (firstn (S x) (order rank i A)) f /\
        realized d (skipn (S x) (order rank i A)) f).
    { intros c d. unfold realized. apply proper_sides; auto.
      - exact alone_incl.
      - exact alone_short. }
    destruct Hf as [[Hp Hr] | [Hp Hr]].
    - destruct (P a b) as (x & Hx & H); [eapply realized_incl; eauto | eapply realized_incl; eauto |].
      exists i, x. auto.
    - destruct (P b a) as (x & Hx & H); [eapply realized_incl; eauto | eapply realized_incl; eauto |].
      exists i, x. auto.
  Qed.

  (* ---- A leaf and a subtree ------------------------------------------------------------------------------------ *)

  Section LeafNode.
    Variable s : structure.
    Variable K : nat -> nat.
    Hypothesis few_below : few_realized s K.

    (* Some of the first examples, perhaps none, have the class c, and the others a pattern of s. *)
    Fixpoint led (c : nat) (L : list nat) (f : nat -> nat) : Prop :=
      match L with [] => True | x :: L' => realized s L f \/ (has f x c /\ led c L' f) end.

    (* The same, but the first example has the class c, which may be any. *)
    Definition begun (L : list nat) (f : nat -> nat) : Prop :=
      match L with [] => True | x :: L' => exists c, has f x c /\ led c L' f end.

    Lemma led_of_realized c x L f : realized s (x :: L) f -> led c L f.
    Proof. intros H. destruct L as [|z L]; cbn; auto. left. eapply realized_incl; [| exact H]. intros y; cbn; auto. Qed.

    Lemma led_of_cut c f : forall k L, (forall y, In y (firstn k L) -> has f y c) -> realized s (skipn k L) f -> led c L f.
    Proof.
      induction k as [|k IH]; intros [|x L] H1 H2; cbn [led]; auto. right. split; [apply H1; cbn; auto |].
      apply IH; auto. intros y Hy. apply H1. cbn. auto.
    Qed.

    Lemma led_bounded c x L f : led c (x :: L) f -> f x < 2.
    Proof. intros [H | [[[-> _] | [-> _]] _]]; auto. eapply realized_bounded; [exact H | cbn; auto]. Qed.

    Lemma few_led c L : NoDup L -> incl L points -> L <> [] -> few L (2 + sum (length L - 1) K) (led c L).
    Proof.
      induction L as [|x [|z L] IH]; intros ND HL NE; [easy | |].
      { apply two_of_one. exact (led_bounded c x []). }
      inversion ND as [|? ? _ ND']; subst. assert (HL' : incl (z :: L) points) by (intros y Hy; apply HL; cbn; auto).
      specialize (IH ND' HL' ltac:(discriminate)). set (v := if first x =? c then 0 else 1).
      eapply few_weaken; [apply few_or | |].
      - eapply (few_cons x (z :: L) _ _ (fun f => led c (z :: L) f /\ f x = v) (fun _ => v)); [exact IH | auto | auto].
      - eapply (few_cons x (z :: L) _ _ (fun f => realized s (z :: L) f /\ f x = 1 - v) (fun _ => 1 - v));
          [exact (few_below (z :: L) ND' HL' ltac:(discriminate)) | auto | auto].
      - cbn [length]. replace (S (S (length L)) - 1) with (S (length L)) by lia.
        replace (S (length L) - 1) with (length L) by lia. cbn [sum]. lia.
      - intros f Hf. pose proof (led_bounded c x (z :: L) f Hf) as B. destruct (Nat.eq_dec (f x) v) as [E | E].
        + left. split; auto. destruct Hf as [Hf | [_ Hf]]; auto. exact (led_of_realized c x (z :: L) f Hf).
        + right. specialize (different x (HL x (or_introl eq_refl))). unfold v in *.
          split; [| destruct (Nat.eqb_spec (first x) c); lia].
          destruct Hf as [Hf | [[[H1 H2] | [H1 H2]] _]].
          * eapply realized_incl; [| exact Hf]. intros y; cbn; auto.
          * exfalso. destruct (Nat.eqb_spec (first x) c); congruence.
          * exfalso. destruct (Nat.eqb_spec (first x) c); congruence.
    Qed.

    Lemma begun_bounded x L f : begun (x :: L) f -> f x < 2.
    Proof. intros (c & [[-> _] | [-> _]] & _); auto. Qed.

    (* The classes of x are those of z. *)
    Lemma few_begun_same x z L K' : NoDup (x :: z :: L) -> incl (x :: z :: L) points ->
      (first z = first x /\ second z = second x) \/ (first z = second x /\ second z = first x) ->
      few (z :: L) K' (begun (z :: L)) -> few (x :: z :: L) (K' + K (length L)) (begun (x :: z :: L)).
    Proof.
      intros ND HL Same IH. inversion ND as [|? ? _ ND']; subst.
      assert (HL' : incl (z :: L) points) by (intros y Hy; apply HL; cbn; auto).
      set (like := fun f : nat -> nat => if first z =? first x then f z else 1 - f z).
      assert (Hv : forall h, (forall u u' : nat, u = u' -> h u = h u' :> nat) ->
        forall f g, agree (z :: L) f g -> h (like f) = h (like g)).
      { intros h Hh f g A. apply Hh. unfold like. now rewrite (A z (or_introl eq_refl)). }
      eapply few_weaken; [apply few_or | |].
      - eapply (few_cons x (z :: L) _ _ (fun f => begun (z :: L) f /\ f x = like f) like); [exact IH | auto |].
        apply (Hv (fun u => u)). auto.
      - eapply (few_cons x (z :: L) _ _ (fun f => realized s (z :: L) f /\ f x = 1 - like f) (fun f => 1 - like f));
          [exact (few_below (z :: L) ND' HL' ltac:(discriminate)) | auto |].
        apply (Hv (fun u => 1 - u)). auto.
      - cbn [length]. replace (S (length L) - 1) with (length L) by lia. lia.
      - pose proof (different x (HL x (or_introl eq_refl))) as Dx.
        pose proof (different z (HL z (or_intror (or_introl eq_refl)))) as Dz.
        intros f (c & Hx & [Hf | [Hz Hf]]).
        + (* z has a value, and the rest a pattern of s *)
          pose proof (realized_bounded s _ f z Hf (or_introl eq_refl)) as B.
          destruct (Nat.eq_dec (f x) (like f)) as [E | E].
          * left. split; auto. cbn. exists c. split; [| exact (led_of_realized c z L f Hf)].
            unfold has, like in *. destruct (Nat.eqb_spec (first z) (first x)); lia.
          * right. split; auto. unfold has, like in *. destruct (Nat.eqb_spec (first z) (first x)); lia.
        + left. split; [now exists c |]. unfold has, like in *. destruct (Nat.eqb_spec (first z) (first x)); lia.
    Qed.

    (* The class that x has for the value v is not one of z. *)
    Lemma few_begun_other x z L v : NoDup (x :: z :: L) -> incl (x :: z :: L) points -> v < 2 ->
      (let c := if v =? 0 then first x else second x in first z <> c /\ second z <> c) ->
      few (x :: z :: L) (2 + sum (length L) K + K (length L)) (begun (x :: z :: L)).
    Proof.
      intros ND HL Hv Other. inversion ND as [|? ? _ ND']; subst.
      assert (HL' : incl (z :: L) points) by (intros y Hy; apply HL; cbn; auto).
      set (c' := if v =? 0 then second x else first x).
      eapply few_weaken; [apply few_or | |].
      - eapply (few_cons x (z :: L) _ _ (fun f => led c' (z :: L) f /\ f x = 1 - v) (fun _ => 1 - v));
          [exact (few_led c' (z :: L) ND' HL' ltac:(discriminate)) | auto | auto].
      - eapply (few_cons x (z :: L) _ _ (fun f => realized s (z :: L) f /\ f x = v) (fun _ => v));
          [exact (few_below (z :: L) ND' HL' ltac:(discriminate)) | auto | auto].
      - cbn [length]. replace (S (length L) - 1) with (length L) by lia. lia.
      - intros f (c & Hx & Hf). cbv zeta in Other. unfold c', has in *. destruct (Nat.eq_dec (f x) v) as [E | E].
        + right. split; auto. destruct Hf as [Hf | [Hz _]]; auto. exfalso. unfold has in Hz.
          destruct (Nat.eqb_spec v 0); lia.
        + left. split; [| lia]. replace (if v =? 0 then second x else first x) with c; auto.
          destruct (Nat.eqb_spec v 0); lia.
    Qed.

    Lemma few_begun L : NoDup L -> incl L points -> L <> [] -> few L (2 + sum (length L - 1) K) (begun L).
    Proof.
      induction L as [|x [|z L] IH]; intros ND HL NE; [easy | |].
      { apply two_of_one. exact (begun_bounded x []). }
      inversion ND as [|? ? _ ND']; subst. assert (HL' : incl (z :: L) points) by (intros y Hy; apply HL; cbn; auto).
      specialize (IH ND' HL' ltac:(discriminate)). cbn [length] in *.
      replace (S (length L) - 1) with (length L) in IH by lia.
      replace (S (S (length L)) - 1) with (S (length L)) by lia.
      change (sum (S (length L)) K) with (sum (length L) K + K (length L)). rewrite Nat.add_assoc.
      destruct (Nat.eq_dec (first z) (first x)) as [E1 | E1], (Nat.eq_dec (second z) (first x)) as [E2 | E2],
        (Nat.eq_dec (first z) (second x)) as [E3 | E3], (Nat.eq_dec (second z) (second x)) as [E4 | E4];
        try (now apply few_begun_same; auto);
        try (now apply (few_begun_other x z L 0); auto); try (now apply (few_begun_other x z L 1); auto).
      all: exfalso; pose proof (different x (HL x (or_introl eq_refl)));
        pose proof (different z (HL z (or_intror (or_introl eq_refl)))); congruence.
    Qed.

    Lemma begun_of_cut x L f : x < length L - 1 -> alone (firstn (S x) L) f -> realized s (skipn (S x) L) f -> begun L f.
    Proof.
      intros Hx (c & Hc) Hf. destruct L as [|z L]; cbn; auto. exists c. split; [apply Hc; cbn; auto |].
      apply (led_of_cut c f x); auto. intros y Hy. apply Hc. cbn. auto.
    Qed.

    (* Each order is cut from both sides. *)
    Lemma few_at_leaf_node A : NoDup A -> incl A points -> 2 <= length A ->
      few A (l * (2 * (2 + sum (length A - 1) K))) (realized (node leaf s) A).
    Proof.
      intros ND HA H2. pose proof (order_length rank) as HL.
      assert (HO : forall i, incl (order rank i A) points) by (intros i x Hx; apply HA, (order_in rank i), Hx).
      assert (NO : forall i, NoDup (order rank i A)) by (intros; now apply order_NoDup).
      assert (NE : forall i, order rank i A <> []).
      { intros i E. specialize (HL i A). rewrite E in HL. cbn in HL. lia. }
      eapply few_weaken with (K := sum l (fun _ => (2 + sum (length A - 1) K) + (2 + sum (length A - 1) K))).
      - apply (few_sum A l _ (fun i f => begun (order rank i A) f \/ begun (rev (order rank i A)) f)). intros i Hi.
        apply few_or.
        + rewrite <- (HL i A). apply (few_incl A (order rank i A)); [intros x; apply order_in |]. now apply few_begun.
        + rewrite <- (HL i A), <- rev_length. apply (few_incl A (rev (order rank i A))).
          { intros x Hx. rewrite <- in_rev. now apply order_in. }
          apply few_begun; [now apply NoDup_rev | intros x Hx; apply (HO i), in_rev, Hx |].
          intros E. apply (NE i). rewrite <- (rev_involutive (order rank i A)), E. reflexivity.
      - rewrite sum_const. apply Nat.mul_le_mono_l. lia.
      - intros f Hf. destruct (proper leaf s A f ND HA H2 Hf) as (i & x & Hi & Hx & [[H1 H3] | [H1 H3]]);
          exists i; split; auto; [left | right].
        + apply (begun_of_cut x); auto. now rewrite HL.
        + apply (begun_of_cut (length A - 2 - x)); [rewrite rev_length, HL; lia | |].
          * rewrite firstn_rev, HL. replace (length A - S (length A - 2 - x)) with (S x) by lia.
            destruct H3 as (c & Hc). exists c. intros y Hy. apply Hc. now apply in_rev.
          * rewrite skipn_rev, HL. replace (length A - S (length A - 2 - x)) with (S x) by lia.
            eapply realized_incl; [| exact H1]. intros y Hy. now apply in_rev.
    Qed.
  End LeafNode.

  (* ---- Stumps -------------------------------------------------------------------------------------------------- *)

  (* All examples of A have the same two classes. *)
  Definition alike (A : list nat) : Prop := exists p p', p <> p' /\
    forall x, In x A -> (first x = p /\ second x = p') \/ (first x = p' /\ second x = p).

  Lemma alike_or_not A : incl A points -> alike A \/ ~ alike A.
  Proof.
    intros HA. destruct A as [|y A]; [left; exists 0, 1; split; [lia | intros ? []] |].
    pose proof (different y (HA y (or_introl eq_refl))) as D.
    destruct (all_or_some (fun x => (first x = first y /\ second x = second y) \/
      (first x = second y /\ second x = first y)) (y :: A)) as [H | (x & Hx & H)]; [intros; lia | |].
    - left. exists (first y), (second y). auto.
    - right. intros (p & p' & _ & C). apply H. pose proof (C y (or_introl eq_refl)). specialize (C x Hx). lia.
  Qed.

  (* Otherwise a leaf with the examples A has one pattern at most. *)
  Lemma one_pattern A : incl A points -> A <> [] -> ~ alike A -> few A 1 (alone A).
  Proof.
    intros HA NE NA. destruct A as [|y A]; [easy |]. pose proof (different y (HA y (or_introl eq_refl))) as D.
    assert (R : forall c f, (forall x, In x (y :: A) -> has f x c) ->
      agree (y :: A) f (fun x => if first x =? c then 0 else 1)).
    { intros c f H x Hx. specialize (H x Hx). specialize (different x (HA x Hx)). unfold has in H.
      destruct (Nat.eqb_spec (first x) c); lia. }
    assert (W : forall c, (forall x, In x (y :: A) -> first x = c \/ second x = c) \/
      exists x, In x (y :: A) /\ ~ (first x = c \/ second x = c)) by (intros c; apply all_or_some; intros; lia).
    assert (N : exists c, forall f, alone (y :: A) f -> forall x, In x (y :: A) -> has f x c).
    { assert (G : forall f c, (forall x, In x (y :: A) -> has f x c) -> c = first y \/ c = second y).
      { intros f c H. destruct (H y (or_introl eq_refl)) as [[_ E] | [_ E]]; auto. }
      destruct (W (first y)) as [W1 | (x & Hx & W1)]; [destruct (W (second y)) as [W2 | (x & Hx & W2)] |].
      - exfalso. apply NA. exists (first y), (second y). split; auto. intros x Hx. specialize (W1 x Hx).
        specialize (W2 x Hx). specialize (different x (HA x Hx)). lia.
      - exists (first y). intros f (c & Hc). destruct (G f c Hc) as [-> | ->]; auto.
        exfalso. apply W2. destruct (Hc x Hx) as [[_ E] | [_ E]]; auto.
      - exists (second y). intros f (c & Hc). destruct (G f c Hc) as [-> | ->]; auto.
        exfalso. apply W1. destruct (Hc x Hx) as [[_ E] | [_ E]]; auto. }
    destruct N as (c & Hc). exists [fun x => if first x =? c then 0 else 1]. split; auto. intros f Hf.
    eexists. split; [now left |]. apply R. now apply Hc.
  Qed.

  Lemma two_patterns_alone A : incl A points -> A <> [] -> few A 2 (alone A).
  Proof.
    intros HA NE. destruct A as [|y A]; [easy |].
    exists [fun x => if first x =? first y then 0 else 1; fun x => if first x =? second y then 0 else 1].
    split; auto. intros f (c & Hc).
    assert (R : agree (y :: A) f (fun x => if first x =? c then 0 else 1)).
    { intros x Hx. specialize (Hc x Hx). specialize (different x (HA x Hx)). destruct (Nat.eqb_spec (first x) c); lia. }
    eexists. split; [| exact R]. destruct (Hc y (or_introl eq_refl)) as [[_ <-] | [_ <-]]; cbn; auto.
  Qed.

  (* The classes can be colored if both sides of a cut are alike. *)
  Lemma two_colors A P Q : (forall x, In x A -> In x P \/ In x Q) -> alike P -> alike Q ->
    exists color : nat -> bool, forall x, In x A -> color (first x) <> color (second x).
  Proof.
    intros HA (p & p' & D & HP) (q & q' & D' & HQ).
    exists (fun c => (c =? p) || (c =? if (q =? p') || (q' =? p) then q' else q)). intros x Hx.
    assert (C : forall u v, (u = p /\ v = p') \/ (u = q /\ v = q') ->
      (u =? p) || (u =? if (q =? p') || (q' =? p) then q' else q) <>
      (v =? p) || (v =? if (q =? p') || (q' =? p) then q' else q)).
    { intros u v H. destruct (Nat.eqb_spec q p'), (Nat.eqb_spec q' p); cbn [orb]; destruct H as [[-> ->] | [-> ->]];
        repeat match goal with |- context [?a =? ?b] => destruct (Nat.eqb_spec a b) end; cbn; congruence. }
    destruct (HA x Hx) as [I | I]; [destruct (HP x I) as [[-> ->] | [-> ->]] | destruct (HQ x I) as [[-> ->] | [-> ->]]].
    - apply C. auto.
    - apply not_eq_sym, C. auto.
    - apply C. auto.
    - apply not_eq_sym, C. auto.
  Qed.

  (* With two colors the patterns are labelings with two classes. *)
  Lemma few_colored A (color : nat -> bool) : NoDup A -> incl A points -> A <> [] ->
    (forall x, In x A -> color (first x) <> color (second x)) ->
    few A (2 + l * (2 * (length A - 1))) (realized stump A).
  Proof.
    intros ND HA NE C.
    set (to := fun (f : nat -> nat) x => if color (if f x =? 0 then first x else second x) then 1 else 0).
    set (from := fun x c => if Bool.eqb (color (first x)) (c =? 1) then 0 else 1).
    eapply few_weaken with (P := realized stump A); [| | auto].
    { apply (few_read_off A _ _ (labels 2 l rank [] points stump A) to from);
        [| apply (few_stump 2 l (le_n 2) rank [] points A ND HA NE)].
    intros f Hf. assert (B : forall x, In x A -> f x < 2) by (intros x; exact (realized_bounded stump A f x Hf)).
    split.
    - assert (G : forall P, alone P f -> constant_on 2 P (to f)).
      { intros P (c & Hc). exists (if color c then 1 else 0). split; [destruct (color c); lia |].
        intros x Hx. unfold to. destruct (Hc x Hx) as [[-> <-] | [-> <-]]; reflexivity. }
      destruct Hf as (q & Hq & Hf). exists q. split; auto.
      destruct Hf as [[H1 H2] | [H1 H2]]; [left | right]; split; now apply G.
    - intros x Hx. specialize (B x Hx). specialize (C x Hx). unfold from, to.
      destruct (Nat.eqb_spec (f x) 0), (color (first x)), (color (second x)); cbn; try congruence; lia. }
    cbn [length]. lia.
  Qed.

  Lemma few_at_stump A : NoDup A -> incl A points -> A <> [] ->
    few A (2 + l * (2 * (length A - 1))) (realized stump A).
  Proof.
    intros ND HA NE. destruct (Nat.le_gt_cases (length A) 1) as [L | L].
    { destruct A as [|x [|]]; cbn in L; [easy | | lia].
      eapply few_weaken; [apply (two_of_one x (realized stump [x])) | cbn [length Nat.sub Nat.mul]; lia | auto]. intros f Hf.
      apply (realized_bounded _ _ _ _ Hf). cbn. auto. }
    set (side := fun i x => firstn (S x) (order rank i A)). set (side' := fun i x => skipn (S x) (order rank i A)).
    assert (I : forall i x, incl (side i x) A) by (intros; apply firstn_order_incl).
    assert (I' : forall i x, incl (side' i x) A) by (intros; apply skipn_order_incl).
    assert (Sides : forall i x y, In y A -> In y (side i x) \/ In y (side' i x)) by (intros; now apply firstn_or_skipn).
    destruct (some_or_none (fun i => exists x, x < length A - 1 /\ (alike (side i x) /\ alike (side' i x))) l)
      as [(i & Hi & x & Hx & H1 & H2) | N].
    { intros i. destruct (some_or_none (fun x => alike (side i x) /\ alike (side' i x)) (length A - 1)) as [H | H].
      - intros x. destruct (alike_or_not (side i x)) as [H1 | H1]; [eauto using incl_tran | | right; tauto].
        destruct (alike_or_not (side' i x)) as [H2 | H2]; [eauto using incl_tran | auto | right; tauto].
      - left. destruct H as (x & Hx & H). eauto.
      - right. intros (x & Hx & H'). exact (H x Hx H'). }
    - destruct (two_colors A (side i x) (side' i x) (Sides i x) H1 H2) as (color & C). now apply (few_colored A color).
    - eapply few_weaken with (K := sum l (fun _ => sum (length A - 1) (fun _ => 2))).
      + apply (few_sum A l _ (fun i f => exists x, x < length A - 1 /\ (alone (side i x) f /\ alone (side' i x) f))).
        intros i Hi. apply few_sum. intros x Hx.
        assert (NE1 : side i x <> []).
        { intros E. apply (f_equal (@length nat)) in E. unfold side in E. rewrite firstn_length, order_length in E.
          cbn [length] in E. lia. }
        assert (NE2 : side' i x <> []).
        { intros E. apply (f_equal (@length nat)) in E. unfold side' in E. rewrite skipn_length, order_length in E.
          cbn [length] in E. lia. }
        destruct (alike_or_not (side i x)) as [H1 | H1]; [eauto using incl_tran | |].
        * apply (few_product A (side i x) (side' i x) 2 1 (alone (side i x)) (alone (side' i x)) (Sides i x)).
          { apply two_patterns_alone; eauto using incl_tran. }
          apply one_pattern; eauto using incl_tran. intros H2. apply (N i Hi). exists x. auto.
        * apply (few_product A (side i x) (side' i x) 1 2 (alone (side i x)) (alone (side' i x)) (Sides i x)).
          { apply one_pattern; eauto using incl_tran. }
          apply two_patterns_alone; eauto using incl_tran.
      + rewrite !sum_const. lia.
      + intros f Hf. destruct (proper leaf leaf A f ND HA L Hf) as (i & x & Hi & Hx & H). exists i. split; auto.
        exists x. split; auto. unfold side, side'. tauto.
  Qed.

  (* ---- The bound ------------------------------------------------------------------------------------------------ *)

  Definition sharp (N M : nat) : nat := b 1 (2 * l) (N - 1) M + b 1 (2 * l) N M.

  Definition sharp_count (s : structure) : nat -> nat :=
    match s with leaf => fun _ => 2 | _ => sharp (internal_nodes s) end.

  Lemma sharp_twice N M : twice 2 l [] N M / 2 = sharp N M.
  Proof.
    unfold twice, u, w, sharp. rewrite Nat.mul_comm, Nat.div_mul by auto.
    replace (1 + 2 * 2 * length (@nil (nat -> bool))) with 1 by reflexivity.
    now replace (2 * (2 - 1) * l) with (2 * l) by lia.
  Qed.

  Lemma sharp_1 M : sharp 1 M = 2 + l * (2 * M).
  Proof. unfold sharp. cbn [Nat.sub b]. rewrite sum_const. lia. Qed.

  Lemma sharp_large N M : 1 <= N -> 2 + l * (2 * M) <= sharp N M.
  Proof.
    intros H. rewrite <- sharp_1. induction H as [|N H IH]; auto. etransitivity; [exact IH |]. unfold sharp.
    cbn [Nat.sub]. rewrite Nat.sub_0_r. pose proof (b_monotone 1 (2 * l) (N - 1) M (le_n 1)) as B.
    replace (S (N - 1)) with N in B by lia. pose proof (b_monotone 1 (2 * l) N M (le_n 1)). lia.
  Qed.

  Lemma sharp_step N M : 1 <= N -> sharp (S N) M = sharp N M + 2 * l * sum M (sharp N).
  Proof.
    intros H. destruct N as [|N]; [lia |].
    assert (E : forall k, b 1 (2 * l) (S k) M = b 1 (2 * l) k M + 2 * l * sum M (b 1 (2 * l) k))
      by (intros; cbn [b]; lia).
    assert (S1 : sum M (sharp (S N)) = sum M (b 1 (2 * l) N) + sum M (b 1 (2 * l) (S N))).
    { rewrite <- sum_add. apply sum_ext. intros i _. unfold sharp. cbn [Nat.sub]. now rewrite Nat.sub_0_r. }
    rewrite S1. unfold sharp. replace (S (S N) - 1) with (S N) by lia. replace (S N - 1) with N by lia.
    pose proof (E N) as E1. pose proof (E (S N)) as E2. lia.
  Qed.

  Lemma realized_mirror a c A f : realized (node a c) A f -> realized (node c a) A f.
  Proof. intros (q & Hq & H). exists q. tauto. Qed.

  Lemma few_of_two x y (P : (nat -> nat) -> Prop) : (forall f, P f -> f x < 2 /\ f y < 2) -> few [x; y] 4 P.
  Proof.
    intros H. eapply few_weaken; [apply few_or | |].
    - eapply (few_cons x [y] 2 (fun f => f y < 2) (fun f => f y < 2 /\ f x = 0) (fun _ => 0));
        [apply two_of_one; auto | auto | auto].
    - eapply (few_cons x [y] 2 (fun f => f y < 2) (fun f => f y < 2 /\ f x = 1) (fun _ => 1));
        [apply two_of_one; auto | auto | auto].
    - auto.
    - intros f Hf. destruct (H f Hf) as (Hx & Hy). assert (D : f x = 0 \/ f x = 1) by lia. tauto.
  Qed.

  Lemma leaf_node_sharp s : few_realized s (sharp_count s) -> few_realized (node leaf s) (sharp_count (node leaf s)).
  Proof.
    intros B A ND HA NE. destruct s as [|a c].
    { cbn [sharp_count internal_nodes Nat.add]. rewrite sharp_1. now apply few_at_stump. }
    set (N := internal_nodes (node a c)) in *. assert (HN : 1 <= N) by (unfold N; cbn; lia).
    change (sharp_count (node a c)) with (sharp N) in B.
    change (sharp_count (node leaf (node a c))) with (sharp (S N)).
    pose proof (sharp_large (S N) (length A - 1) ltac:(lia)) as Large.
    destruct (Nat.eq_dec l 0) as [L0 | L0].
    { exists []. split; [cbn [length]; lia |]. intros f (q & (i & t & Hi & _) & _). lia. }
    destruct A as [|x [|y A]]; [easy | |].
    { eapply few_weaken; [apply (two_of_one x (realized (node leaf (node a c)) [x])) |
        change (length [x] - 1) with 0 in *; lia | auto].
      intros f Hf.
      apply (realized_bounded _ _ _ _ Hf). cbn. auto. }
    destruct A as [|z A].
    { eapply few_weaken; [apply (few_of_two x y (realized (node leaf (node a c)) [x; y])) |
        change (length [x; y] - 1) with 1 in *; lia | auto].
      intros f Hf. split; apply (realized_bounded _ _ _ _ Hf); cbn; auto. }
    eapply few_weaken; [apply (few_at_leaf_node (node a c) (sharp N) B (x :: y :: z :: A)); auto; cbn; lia | | auto].
    set (M := length (x :: y :: z :: A) - 1) in *. assert (2 <= M) by (unfold M; cbn [length]; lia).
    rewrite sharp_step by auto. pose proof (sharp_large N M HN). nia.
  Qed.

  Lemma sharp_patterns s : few_realized s (sharp_count s).
  Proof.
    induction s as [|a IHa c IHc]; [intros A ND HA NE; now apply two_patterns_alone |].
    destruct a as [|a1 a2]; [now apply leaf_node_sharp |]. destruct c as [|c1 c2].
    { intros A ND HA NE. eapply few_weaken; [apply (leaf_node_sharp (node a1 a2) IHa A ND HA NE) | | apply realized_mirror].
      cbn [sharp_count internal_nodes].
      replace (1 + (1 + internal_nodes a1 + internal_nodes a2) + 0) with
        (1 + 0 + (1 + internal_nodes a1 + internal_nodes a2)) by lia. auto. }
    set (i := internal_nodes (node a1 a2)) in *. set (j := internal_nodes (node c1 c2)) in *.
    assert (Hi : 1 <= i) by (unfold i; cbn; lia). assert (Hj : 1 <= j) by (unfold j; cbn; lia).
    change (sharp_count (node a1 a2)) with (sharp i) in IHa. change (sharp_count (node c1 c2)) with (sharp j) in IHc.
    change (sharp_count (node (node a1 a2) (node c1 c2))) with (sharp (S (i + j))).
    intros A ND HA NE.
    eapply few_weaken; [apply (few_at_node l rank points alone) with (a := node a1 a2) (b := node c1 c2)
      (Ka := sharp i) (Kb := sharp j) | | intros f Hf; exact Hf]; auto.
    - exact alone_incl.
    - exact alone_bounded.
    - exact alone_short.
    - pose proof (internal_arithmetic 2 l (le_n 2) [] i j (length A - 1) Hi Hj) as H. cbn [length] in H.
      assert (E : convolution (fun x => twice 2 l [] i x / 2) (fun x => twice 2 l [] j x / 2) (length A - 1) =
        convolution (sharp i) (sharp j) (length A - 1)).
      { unfold convolution. apply sum_ext. intros. now rewrite !sharp_twice. }
      rewrite E in H. rewrite <- sharp_twice. apply Nat.div_le_lower_bound; [lia |].
      replace (S (i + j)) with (i + j + 1) by lia. lia.
  Qed.
End Sharp.

Theorem Natarajan_dimension_upper_bound_as_for_two_classes :
  forall (R : linear_order) (l n : nat) (s : structure) (sample : list (nat -> R)),
  Natarajan_shattered (threshold_test R l) n s sample -> 1 <= length sample ->
  2 ^ length sample <= 2 * sum (S (internal_nodes s)) (fun j =>
    binomial (internal_nodes s) j * (2 * l) ^ j * binomial (length sample - 1) j).
Proof.
  intros R l n s sample (first & second & D & H) Hm. destruct sample as [|x sample]; [cbn in Hm; lia |].
  set (m := length (x :: sample)) in *. set (N := internal_nodes s).
  transitivity (sharp_count l s (m - 1)).
  - apply (few_choices R l n (x :: sample) x first second s); [| exact H]. fold m.
    pose proof (sharp_patterns l (fun i y => position R (fun z => nth z (x :: sample) x i) m y) (seq 0 m) first second
      (fun y Hy => D y (proj2 (proj1 (in_seq m 0 y) Hy))) s (seq 0 m) (seq_NoDup m 0) (incl_refl _)) as F.
    rewrite seq_length in F. apply F. destruct m; [lia | discriminate].
  - transitivity (2 * b 1 (2 * l) N (m - 1)).
    + subst N. destruct s as [|a c]; [cbn; lia |].
      change (sharp_count l (node a c)) with (sharp l (internal_nodes (node a c))).
      set (N := internal_nodes (node a c)). assert (1 <= N) by (unfold N; cbn; lia). unfold sharp.
      pose proof (b_monotone 1 (2 * l) (N - 1) (m - 1) (le_n 1)) as B. replace (S (N - 1)) with N in B by lia. lia.
    + rewrite b_closed. unfold closed. apply Nat.mul_le_mono_l, sum_le. intros j _. rewrite Nat.pow_1_l. lia.
Qed.
