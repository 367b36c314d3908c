(* Levels: the inclusion graph between the sets of j - 1 and of j among m examples, and the number of its edges that
   leave a set of vertices (Lemma 1 of chapter "The conjecture is true").

   In words: let 2 <= j, 2 j <= m and D = m - j + 1. If a set of vertices has some but not all of the sets of j - 1
   examples, at least D edges have exactly one end in it. If it is neither empty nor everything, at least j edges do. *)

From Coq Require Import List Arith Lia Permutation Bool.
From Treebounds Require Import Definitions Counting Chains Sets Tutte.
Import ListNotations.


Definition vertex_dec : forall x y : list bool, {x = y} + {x <> y} := list_eq_dec bool_dec.

(* ---- Sums over lists ------------------------------------------------------------------------------------------------ *)

Fixpoint total {X} (f : X -> nat) (L : list X) : nat := match L with [] => 0 | x :: L' => f x + total f L' end.

Lemma total_app {X} (f : X -> nat) L L' : total f (L ++ L') = total f L + total f L'.
Proof. induction L; cbn; lia. Qed.

Lemma total_le {X} (f g : X -> nat) L : (forall x, In x L -> f x <= g x) -> total f L <= total g L.
Proof.
  induction L as [|x L IH]; intros H; cbn; auto. pose proof (H x (or_introl eq_refl)).
  specialize (IH (fun y Hy => H y (or_intror Hy))). lia.
Qed.

Lemma total_ext {X} (f g : X -> nat) L : (forall x, In x L -> f x = g x) -> total f L = total g L.
Proof. intros H. apply Nat.le_antisymm; apply total_le; intros x Hx; rewrite (H x Hx); lia. Qed.

Lemma total_add {X} (f g : X -> nat) L : total (fun x => f x + g x) L = total f L + total g L.
Proof. induction L; cbn; lia. Qed.

Lemma total_mul {X} c (f : X -> nat) L : total (fun x => c * f x) L = c * total f L.
Proof. induction L; cbn; lia. Qed.

Lemma total_const {X} c (L : list X) : total (fun _ => c) L = length L * c.
Proof. induction L; cbn; lia. Qed.

Lemma total_swap {X Y} (f : X -> Y -> nat) L L' : total (fun x => total (f x) L') L = total (fun y => total (fun x => f x y) L) L'.
Proof. induction L; cbn. { rewrite total_const. lia. } rewrite IHL, <- total_add. reflexivity. Qed.

Lemma total_flat_map {X Y} (f : Y -> nat) (F : X -> list Y) L : total f (flat_map F L) = total (fun x => total f (F x)) L.
Proof. induction L; cbn; auto. now rewrite total_app, IHL. Qed.

Lemma total_map {X Y} (f : Y -> nat) (F : X -> Y) L : total f (map F L) = total (fun x => f (F x)) L.
Proof. induction L; cbn; auto. Qed.

Lemma total_permutation {X} (f : X -> nat) L L' : Permutation L L' -> total f L = total f L'.
Proof. induction 1; cbn; lia. Qed.

Lemma total_filter {X} (p : X -> bool) L : total (fun x => if p x then 1 else 0) L = length (filter p L).
Proof. induction L as [|x L IH]; cbn; auto. destruct (p x); cbn; lia. Qed.

Lemma total_positive {X} (f : X -> nat) L x : In x L -> f x <= total f L.
Proof. induction L as [|y L IH]; cbn; [easy |]. intros [-> | H]; [lia | specialize (IH H); lia]. Qed.

(* ---- The inclusion graph ----------------------------------------------------------------------------------------------- *)

Lemma set_back A e : e < length A -> has A e = false -> set (set A e true) e false = A.
Proof.
  intros H E. apply sets_equal; [now rewrite !set_length |]. rewrite !set_length. intros x Hx.
  rewrite !has_set by (rewrite ?set_length; auto). destruct (Nat.eqb_spec x e); subst; auto.
Qed.

Lemma set_forth A e : has A e = true -> set (set A e false) e true = A.
Proof.
  intros E. pose proof (has_length A e E). apply sets_equal; [now rewrite !set_length |]. rewrite !set_length. intros x Hx.
  rewrite !has_set by (rewrite ?set_length; auto). destruct (Nat.eqb_spec x e); subst; auto.
Qed.

Section Level.
  Variables m j : nat.
  Hypothesis j_large : 2 <= j.
  Hypothesis j_small : 2 * j <= m.

  Let U := ksets m (j - 1).
  Let W := ksets m j.
  Let D := m - j + 1.

  Definition inclusions : list (list bool * list bool) := flat_map (fun u => map (fun e => (u, set u e true)) (zeros u)) U.

  Lemma U_spec u : In u U <-> length u = m /\ size u = j - 1.
  Proof. apply ksets_spec. Qed.

  Lemma W_spec w : In w W <-> length w = m /\ size w = j.
  Proof. apply ksets_spec. Qed.

  Lemma inclusions_spec u w : In (u, w) inclusions <-> In u U /\ exists e, e < m /\ has u e = false /\ w = set u e true.
  Proof.
    unfold inclusions. rewrite in_flat_map. split.
    - intros (v & Hv & H). apply in_map_iff in H as (e & [= <- <-] & He). apply zeros_spec in He as [He1 He2].
      pose proof (proj1 (U_spec v) Hv) as [L _]. split; auto. exists e. rewrite L in He1. auto.
    - intros (Hu & e & He & Hue & ->). exists u. split; auto. apply in_map_iff. exists e. split; auto.
      apply zeros_spec. pose proof (proj1 (U_spec u) Hu) as [L _]. split; [lia | auto].
  Qed.

  Lemma inclusion_in_W u w : In (u, w) inclusions -> In w W.
  Proof.
    intros H. apply inclusions_spec in H as (Hu & e & He & Hue & ->). apply U_spec in Hu as [L S].
    apply W_spec. rewrite set_length, size_add by (auto; lia). lia.
  Qed.

  Lemma inclusions_by_upper u w : In (u, w) inclusions <-> In w W /\ exists e, has w e = true /\ u = set w e false.
  Proof.
    split.
    - intros H. split; [eapply inclusion_in_W; eauto |]. apply inclusions_spec in H as (Hu & e & He & Hue & ->).
      apply U_spec in Hu as [L S]. exists e. rewrite set_back by (auto; lia). split; auto. rewrite has_set by lia. now rewrite Nat.eqb_refl.
    - intros (Hw & e & Hwe & ->). apply W_spec in Hw as [L S]. pose proof (has_length w e Hwe). pose proof (size_remove w e Hwe).
      apply inclusions_spec. rewrite U_spec, set_length. repeat split; auto; [lia |].
      exists e. rewrite set_forth by auto. repeat split; auto; [lia |]. rewrite has_set by lia. now rewrite Nat.eqb_refl.
  Qed.

  Lemma inclusions_NoDup : NoDup inclusions.
  Proof.
    apply NoDup_flat_map; [apply ksets_NoDup | |].
    - intros u Hu. apply U_spec in Hu as [L _]. apply NoDup_map_injective; [apply zeros_NoDup |].
      intros e e' He He' [= E]. apply zeros_spec in He as [He1 He2], He' as [He1' He2'].
      apply (f_equal (fun A => has A e)) in E. rewrite !has_set, Nat.eqb_refl in E by auto.
      destruct (Nat.eqb_spec e e'); auto. congruence.
    - intros u u' x _ _ H H'. apply in_map_iff in H as (? & <- & _), H' as (? & [= <- _] & _). auto.
  Qed.

  Definition by_upper : list (list bool * list bool) := flat_map (fun w => map (fun e => (set w e false, w)) (ones w)) W.

  Lemma inclusions_permutation : Permutation inclusions by_upper.
  Proof.
    apply NoDup_Permutation; [apply inclusions_NoDup | |].
    - apply NoDup_flat_map; [apply ksets_NoDup | |].
      + intros w Hw. apply NoDup_map_injective; [apply ones_NoDup |]. intros e e' He He' [= E]. apply ones_spec in He, He'.
        pose proof (has_length _ _ He). pose proof (has_length _ _ He').
        apply (f_equal (fun A => has A e)) in E. rewrite !has_set, Nat.eqb_refl in E by auto.
        destruct (Nat.eqb_spec e e'); auto. congruence.
      + intros w w' x _ _ H H'. apply in_map_iff in H as (? & <- & _), H' as (? & [= _ <-] & _). auto.
    - intros [u w]. rewrite inclusions_by_upper. unfold by_upper. rewrite in_flat_map. split.
      + intros (Hw & e & He & ->). exists w. split; auto. apply in_map_iff. exists e. split; auto. now apply ones_spec.
      + intros (w' & Hw & H). apply in_map_iff in H as (e & [= <- <-] & He). split; auto. exists e. split; auto. now apply ones_spec.
  Qed.

  Lemma total_lower f : total (fun e => f (fst e)) inclusions = D * total f U.
  Proof.
    unfold inclusions. rewrite total_flat_map, <- total_mul. apply total_ext. intros u Hu. rewrite total_map. cbn [fst].
    rewrite total_const, zeros_length. apply U_spec in Hu as [L S]. rewrite L, S. unfold D. f_equal. lia.
  Qed.

  Lemma total_upper f : total (fun e => f (snd e)) inclusions = j * total f W.
  Proof.
    rewrite (total_permutation _ _ _ inclusions_permutation). unfold by_upper. rewrite total_flat_map, <- total_mul.
    apply total_ext. intros w Hw. rewrite total_map. cbn [snd]. rewrite total_const, ones_length. apply W_spec in Hw as [_ ->]. lia.
  Qed.

  (* ---- Lemma 1 ------------------------------------------------------------------------------------------------------- *)

  Definition crosses (k : list bool -> bool) (e : (list bool) * (list bool)) : bool := xorb (k (fst e)) (k (snd e)).

  Definition leaving (k : list bool -> bool) : nat := length (filter (crosses k) inclusions).

  (* The Johnson graph is connected: an exchange of one element that leaves k. *)
  Lemma exchange_leaves k u v : In u U -> In v U -> k u = true -> k v = false ->
    exists u a b, In u U /\ has u a = true /\ b < m /\ has u b = false /\ k u = true /\ k (set (set u a false) b true) = false.
  Proof.
    clear j_large j_small. intros Hu Hv. remember (length (filter (fun e => has u e && negb (has v e)) (seq 0 m))) as n.
    revert u Hu Heqn. induction n as [n IH] using lt_wf_ind. intros u Hu En Ku Kv.
    pose proof (proj1 (U_spec u) Hu) as [Lu Su]. pose proof (proj1 (U_spec v) Hv) as [Lv Sv].
    assert (NE : u <> v) by congruence.
    destruct (element_of_difference u v) as (a & Ha & Ha'); try congruence.
    destruct (element_of_difference v u) as (b & Hb & Hb'); try congruence.
    pose proof (has_length _ _ Ha) as La. pose proof (has_length _ _ Hb) as Lb.
    assert (ab : a <> b) by (intros ->; congruence).
    set (u' := set (set u a false) b true).
    assert (H' : forall x, has u' x = if x =? b then true else if x =? a then false else has u x).
    { intros x. unfold u'. rewrite !has_set by (rewrite ?set_length; lia). reflexivity. }
    assert (Hu' : In u' U).
    { apply U_spec. unfold u'. rewrite !set_length. split; auto. rewrite size_add.
      - rewrite <- (size_remove u a Ha). exact Su.
      - rewrite set_length. lia.
      - rewrite has_set by lia. destruct (Nat.eqb_spec b a); auto. }
    destruct (k u') eqn:Ku'.
    - apply (IH (length (filter (fun e => has u' e && negb (has v e)) (seq 0 m)))) with (u := u'); auto. rewrite En. apply (filter_length_lt _ _ _ a).
      + intros x _. rewrite H'. destruct (Nat.eqb_spec x b) as [-> |]; [rewrite Hb; cbn; discriminate |].
        destruct (Nat.eqb_spec x a); cbn [andb]; [discriminate | auto].
      + apply in_seq. lia.
      + rewrite H', Nat.eqb_refl. destruct (Nat.eqb_spec a b); [contradiction | reflexivity].
      + now rewrite Ha, Ha'.
    - exists u, a, b. repeat split; auto. lia.
  Qed.

  Lemma leaving_lower k u v : In u U -> In v U -> k u = true -> k v = false -> D <= leaving k.
  Proof.
    intros Hu Hv Ku Kv. destruct (exchange_leaves k u v Hu Hv Ku Kv) as (x & a & b & Hx & Hxa & Hb & Hxb & Kx & Kx').
    clear u v Hu Hv Ku Kv. pose proof (proj1 (U_spec x) Hx) as [L S].
    pose proof (has_length _ _ Hxa) as La. rewrite L in La.
    assert (ab : a <> b) by (intros ->; congruence).
    set (x' := set (set x a false) b true) in *.
    set (pick := fun e =>
      if e =? b then (if k (set x b true) then (x', set x b true) else (x, set x b true))
      else if negb (k (set x e true)) then (x, set x e true)
      else if negb (k (set (set x a false) e true)) then (set (set x a false) e true, set x e true)
      else if negb (k (set x' e true)) then (set (set x a false) e true, set x' e true)
      else (x', set x' e true)).
    assert (HX' : forall y, has x' y = if y =? b then true else if y =? a then false else has x y).
    { intros y. unfold x'. rewrite !has_set by (rewrite ?set_length; lia). reflexivity. }
    assert (Lx' : length x' = m) by (unfold x'; now rewrite !set_length).
    assert (INU : forall e, e < m -> has x e = false -> In (set (set x a false) e true) U).
    { intros e He Hxe. apply U_spec. rewrite !set_length. split; auto. rewrite size_add.
      - rewrite <- (size_remove x a Hxa). exact S.
      - rewrite set_length. lia.
      - rewrite has_set by lia. destruct (Nat.eqb_spec e a); auto. }
    assert (IN : forall e, In e (zeros x) -> In (pick e) (filter (crosses k) inclusions)).
    { intros e He. apply zeros_spec in He as [He Hxe]. rewrite L in He. apply filter_In.
      assert (ea : e <> a) by (intros ->; congruence).
      unfold pick, crosses. destruct (Nat.eqb_spec e b) as [-> | eb].
      - destruct (k (set x b true)) eqn:K1; cbn [fst snd].
        + split; [| now rewrite Kx', K1]. apply inclusions_spec. split; [now apply INU |]. exists a. rewrite HX'. repeat split; auto.
          * destruct (Nat.eqb_spec a b); [contradiction |]. now rewrite Nat.eqb_refl.
          * apply sets_equal; rewrite !set_length; [congruence |]. intros y Hy. rewrite !has_set by lia. rewrite HX'.
            destruct (Nat.eqb_spec y b), (Nat.eqb_spec y a); subst; auto.
        + split; [| now rewrite Kx, K1]. apply inclusions_spec. split; auto. exists b. auto.
      - destruct (k (set x e true)) eqn:K1; cbn [negb].
        2:{ cbn [fst snd]. split; [| now rewrite Kx, K1]. apply inclusions_spec. split; auto. exists e. auto. }
        destruct (k (set (set x a false) e true)) eqn:K2; cbn [negb].
        2:{ cbn [fst snd]. split; [| now rewrite K1, K2]. apply inclusions_spec. split; [now apply INU |]. exists a. repeat split; auto.
          - rewrite !has_set by (rewrite ?set_length; lia). destruct (Nat.eqb_spec a e); [congruence |]. now rewrite Nat.eqb_refl.
          - apply sets_equal; rewrite !set_length; auto. intros y Hy. rewrite !has_set by (rewrite ?set_length; lia).
            destruct (Nat.eqb_spec y e), (Nat.eqb_spec y a); subst; auto. }
        destruct (k (set x' e true)) eqn:K3; cbn [negb fst snd].
        + split; [| now rewrite Kx', K3]. apply inclusions_spec. split; [now apply INU |]. exists e. rewrite HX'. repeat split; auto.
          destruct (Nat.eqb_spec e b), (Nat.eqb_spec e a); auto; contradiction.
        + split; [| now rewrite K2, K3]. apply inclusions_spec. split; [now apply INU |]. exists b. repeat split; auto.
          * rewrite !has_set by (rewrite ?set_length; lia). destruct (Nat.eqb_spec b e); [congruence |].
            destruct (Nat.eqb_spec b a); [congruence | auto].
          * apply sets_equal; rewrite !set_length; [congruence |]. intros y Hy. rewrite !has_set by (rewrite ?set_length; lia). rewrite HX'.
            destruct (Nat.eqb_spec y e), (Nat.eqb_spec y b), (Nat.eqb_spec y a); subst; auto. }
    assert (DEC : forall e y, In e (zeros x) -> In y (zeros x) -> y <> b -> has (snd (pick e)) y = (y =? e)).
    { intros e y He Hy yb. apply zeros_spec in He as [He Hxe], Hy as [Hy Hxy]. rewrite L in He, Hy. unfold pick.
      assert (ya : y <> a) by (intros ->; congruence).
      assert (G : forall A, length A = m -> has A y = false -> has (set A e true) y = (y =? e)).
      { intros A LA HA. rewrite has_set by lia. rewrite HA. now destruct (y =? e). }
      assert (GX : has x' y = false).
      { rewrite HX'. destruct (Nat.eqb_spec y b), (Nat.eqb_spec y a); auto; contradiction. }
      destruct (Nat.eqb_spec e b) as [-> |].
      - destruct (k (set x b true)); cbn [snd]; apply G; auto.
      - destruct (negb (k (set x e true))); cbn [snd]; [apply G; auto |].
        destruct (negb (k (set (set x a false) e true))); cbn [snd]; [apply G; auto |].
        destruct (negb (k (set x' e true))); cbn [snd]; apply G; auto. }
    unfold leaving. replace D with (length (map pick (zeros x))).
    2:{ rewrite map_length, zeros_length, L, S. unfold D. lia. }
    apply NoDup_incl_length.
    - apply NoDup_map_injective; [apply zeros_NoDup |]. intros e e' He He' E.
      destruct (Nat.eq_dec e e') as [| NE]; auto. exfalso.
      assert (C : e <> b \/ e' <> b) by lia. destruct C as [C | C].
      + pose proof (DEC e e He He C) as H1. pose proof (DEC e' e He' He C) as H2. rewrite <- E, H1, Nat.eqb_refl in H2.
        symmetry in H2. apply Nat.eqb_eq in H2. contradiction.
      + pose proof (DEC e' e' He' He' C) as H1. pose proof (DEC e e' He He' C) as H2. rewrite E, H1, Nat.eqb_refl in H2.
        symmetry in H2. apply Nat.eqb_eq in H2. congruence.
    - intros p Hp. apply in_map_iff in Hp as (e & <- & He). auto.
  Qed.

  Lemma U_nonempty : exists u, In u U.
  Proof.
    pose proof (ksets_length m (j - 1)) as H. pose proof (binomial_positive m (j - 1)). fold U in H.
    destruct U as [|u U']; [cbn in H; lia |]. exists u. cbn. auto.
  Qed.

  Lemma leaving_any k x y : In x (U ++ W) -> In y (U ++ W) -> k x = true -> k y = false -> j <= leaving k.
  Proof.
    intros Hx Hy Kx Ky. destruct U_nonempty as (u0 & Hu0).
    destruct (existsb (fun u => negb (eqb (k u) (k u0))) U) eqn:E.
    - apply existsb_exists in E as (u & Hu & E). apply negb_true_iff, eqb_false_iff in E.
      transitivity D; [unfold D; lia |].
      destruct (k u) eqn:K1, (k u0) eqn:K2; try congruence; [apply (leaving_lower k u u0) | apply (leaving_lower k u0 u)]; auto.
    - assert (C : forall u, In u U -> k u = k u0).
      { intros u Hu. destruct (eqb (k u) (k u0)) eqn:Ek; [now apply eqb_prop |]. exfalso.
        rewrite <- not_true_iff_false in E. apply E, existsb_exists. exists u. now rewrite Ek. }
      assert (G : exists w, In w W /\ k w <> k u0).
      { destruct (k u0) eqn:K0.
        - exists y. split; [| congruence]. apply in_app_iff in Hy as [Hy | Hy]; auto. rewrite C in Ky by auto. congruence.
        - exists x. split; [| congruence]. apply in_app_iff in Hx as [Hx | Hx]; auto. rewrite C in Kx by auto. congruence. }
      destruct G as (w & Hw & Kw). pose proof (proj1 (W_spec w) Hw) as [L S].
      unfold leaving. replace j with (length (map (fun e => (set w e false, w)) (ones w))) by (rewrite map_length, ones_length; auto).
      apply NoDup_incl_length.
      + apply NoDup_map_injective; [apply ones_NoDup |]. intros e e' He He' [= E']. apply ones_spec in He, He'.
        pose proof (has_length _ _ He). pose proof (has_length _ _ He').
        apply (f_equal (fun A => has A e)) in E'. rewrite !has_set, Nat.eqb_refl in E' by auto.
        destruct (Nat.eqb_spec e e'); auto. congruence.
      + intros p Hp. apply in_map_iff in Hp as (e & <- & He). apply ones_spec in He. apply filter_In.
        assert (I : In (set w e false, w) inclusions) by (apply inclusions_by_upper; split; auto; exists e; auto).
        split; auto. unfold crosses. cbn [fst snd]. apply inclusions_spec in I as (Hu & _). rewrite (C _ Hu).
        destruct (k w), (k u0); auto; congruence.
  Qed.
End Level.
