(* Sums of stumps (chapter "What do many trees cost?"), from above.

   In words: let sums of B stumps on l features with values in any linear order, with elements of an ordered ring at
   the leaves, compared with a threshold, shatter d >= 1 examples, and let B <= l (d - 1). Then 2^d <= 2 C(l (d - 1),
   B) (C(d - 1, 0) + ... + C(d - 1, B)). *)

From Coq Require Import List Arith Lia Bool Permutation Ring.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Chains Patterns RegressionTrees
  SignPatterns.
Import ListNotations.

Definition total {X} (F : ordered_ring) (trees : list (regression_tree X F)) (x : X) : F :=
  fold_right (fun T s => add F (predict T x) s) (zero_number F) trees.

(* Trees of the given structures, one of each, with numbers at the leaves, and a threshold for their sum. *)
Definition weighted_sums_shatter {X} (F : ordered_ring) (allowed : test X ->
  Prop) (structures : list structure)
  (sample : list X) : Prop :=
  forall y, length y = length sample -> Forall (fun c => c < 2) y ->
  exists trees threshold, Forall2 (fits allowed) trees structures /\
    map (fun x => if positive F (subtract F (total F trees x) threshold) then 1 else 0) sample = y.

(* ---- Choosing B elements of a list ---------------------------------------------------------------------------- *)

Section Choosing.
  Variable X : Type.
  Variable eq_dec : forall x y : X, {x = y} + {x <> y}.

  Fixpoint choose (B : nat) (L : list X) : list (list X) :=
    match B, L with
    | 0, _ => [[]]
    | S _, [] => []
    | S B', x :: L' => map (cons x) (choose B' L') ++ choose (S B') L'
    end.

  Lemma choose_length L : forall B, length (choose B L) = binomial (length L) B.
  Proof.
    induction L as [|x L IH]; intros [|B]; auto. cbn [choose length].
      now rewrite app_length, map_length, !IH, binomial_S.
  Qed.

  Lemma choose_size L : forall B K, In K (choose B L) -> length K = B.
  Proof.
    induction L as [|x L IH]; intros [|B] K H; cbn in H; try (destruct H as [<- | []]; auto; fail); try easy.
    apply in_app_or in H as [H | H]; [| now apply IH]. apply in_map_iff in H as (K' & <- & H). cbn. f_equal.
      now apply IH.
  Qed.

  Lemma choose_covers L : forall B U, NoDup U -> incl U L -> length U <= B -> B <= length L ->
    exists K, In K (choose B L) /\ incl U K.
  Proof.
    induction L as [|x L IH]; intros B U ND I HU HB.
    { cbn in HB. assert (U = []) as -> by (destruct U; auto; cbn in HU; lia). exists []. destruct B; cbn;
      [auto | lia]. }
    cbn [length] in HB. destruct (in_dec eq_dec x U) as [Hx | Hx].
    - apply in_split in Hx as (U1 & U2 & ->). pose proof (NoDup_remove _ _ _ ND) as [ND' NX].
      rewrite app_length in HU. cbn [length] in HU. destruct B as [|B]; [lia |].
      destruct (IH B (U1 ++ U2)) as (K & HK & IK); [auto | | rewrite app_length; lia | lia |].
      { intros z Hz. destruct (I z) as [<- | H]; auto; [| contradiction].
        apply in_app_or in Hz. apply in_or_app. cbn. tauto. }
      exists (x :: K). split; [apply in_or_app; left; now apply in_map |].
      intros z Hz. apply in_app_or in Hz as [Hz | [-> | Hz]]; cbn; auto; right; apply IK, in_or_app; auto.
    - assert (IL : incl U L). { intros z Hz. destruct (I z Hz) as [<- | H]; auto. contradiction. }
      destruct (Nat.le_gt_cases B (length L)) as [C | C].
      + destruct (IH B U ND IL HU C) as (K & HK & IK). exists K. split; auto. destruct B; [destruct L;
        exact HK | apply in_or_app; auto].
      + destruct B as [|B]; [lia |]. pose proof (NoDup_incl_length ND IL).
        destruct (IH B U ND IL) as (K & HK & IK); [lia | lia |]. exists (x :: K). split.
        * apply in_or_app. left. now apply in_map.
        * intros z Hz. right. auto.
  Qed.
End Choosing.

(* If at most c elements of Y belong to each member of L, and each element to some member, Y has at most c |L| of
   them. *)
Lemma few_of_each {X Z} (P : Z -> X -> Prop) c L : 
  (forall K Y, In K L -> NoDup Y -> (forall y, In y Y -> P K y) -> length Y <= c) ->
  forall Y, NoDup Y -> (forall y, In y Y -> exists K, In K L /\ P K y) -> length Y <= length L * c.
Proof.
  induction L as [|K L IH]; intros HC Y ND H.
  { destruct Y as [|y Y]; auto. destruct (H y (or_introl eq_refl)) as (K & [] & _). }
  assert (S : exists Y1 Y2, Permutation Y (Y1 ++ Y2) /\ (forall y, In y Y1 -> P K y) /\
    (forall y, In y Y2 -> exists K, In K L /\ P K y)).
  { clear - H. induction Y as [|y Y IHY]. { exists [], []. repeat split; auto; intros ? []. }
    destruct IHY as (Y1 & Y2 & E & H1 & H2); [intros; apply H; cbn; auto |].
    destruct (H y (or_introl eq_refl)) as (K' & [<- | HK] & HP).
    - exists (y :: Y1), Y2. cbn. repeat split; auto. intros z [<- | Hz]; auto.
    - exists Y1, (y :: Y2). repeat split; auto; [now apply Permutation_cons_app | intros z [<- | Hz]; eauto].
      }
  destruct S as (Y1 & Y2 & E & H1 & H2). pose proof (Permutation_NoDup E ND) as ND'.
  apply NoDup_app_parts in ND' as (N1 & N2 & _). rewrite (Permutation_length E), app_length.
    cbn [length Nat.mul].
  apply Nat.add_le_mono.
  - apply (HC K); cbn; auto.
  - apply IH; auto. intros K' Y' HK. apply HC. cbn. auto.
Qed.

Lemma bits_injective (y y' : list bool) :
  map (fun b : bool => if b then 1 else 0) y = map (fun b : bool => if b then 1 else 0) y' -> y = y'.
Proof.
  revert y'. induction y as [|b y IH]; intros [|b' y'] H; try discriminate; auto. injection H as Hb H.
    f_equal; auto.
  destruct b, b'; auto; discriminate.
Qed.

Section Stumps.
  Variable F : ordered_ring.
  Add Ring F_ring_of_stumps : (ring_laws F).
  Variable R : linear_order.
  Variables l B : nat.
  Variable sample : list (nat -> R).
  Variable default : nat -> R.

  Let d := length sample.
  Let points := seq 0 d.
  Let at_ (x : nat) : nat -> R := nth x sample default.
  Let rank (i x : nat) : nat := position R (fun y => at_ y i) d x.

  Definition cut : Type := (nat * nat)%type.
  Definition cut_eq_dec : forall c c' : cut, {c = c'} + {c <> c'}.
  Proof. decide equality; apply Nat.eq_dec. Defined.

  (* Cut (i, k) separates the first k examples in the order of feature i. *)
  Definition indicator (c : cut) (x : nat) : F :=
    if member (firstn (snd c) (order rank (fst c) points)) x then one_number F else zero_number F.

  Definition proper_cuts : list cut := flat_map (fun i => map (fun k => (i, S k)) (seq 0 (d - 1))) (seq 0 l).

  Lemma proper_cuts_length : length proper_cuts = l * (d - 1).
  Proof.
    unfold proper_cuts. rewrite (flat_map_length_constant (d - 1)), seq_length; auto.
    intros. now rewrite map_length, seq_length.
  Qed.

  Lemma stump_cuts T : fits (threshold_test R l) T (node leaf leaf) ->
    exists u v U, length U <= 1 /\ incl U proper_cuts /\
      forall x, In x points -> predict T (at_ x) = add F u (combination F (repeat v (length U)) (map indicator
        U) x).
  Proof.
    intros HT. assert (S : exists q u v, threshold_test R l q /\ T = Split q (Value u) (Value v)).
    { inversion HT as [| q T1 T2 a b Hq H1 H2 | q T1 T2 a b Hq H1 H2]; subst; inversion H1; inversion H2;
      subst; eauto. }
    destruct S as (q & u & v & Hq & ->).
    destruct (cut_order 2 l (le_n 2) rank points _ points (test_is_cut R l sample default q Hq) (incl_refl _))
      as (i & k & Hi & Hk & H1 & H2).
    assert (Lp : length points = d) by apply seq_length. rewrite Lp in Hk.
    assert (IN : forall x, In x (firstn k (order rank i points)) -> q (at_ x) = true)
      by (intros x Hx; apply H1, filter_In in Hx; apply Hx).
    assert (OUT : forall x, In x (skipn k (order rank i points)) -> q (at_ x) = false)
      by (intros x Hx; apply H2, filter_In in Hx as [_ Hx]; apply negb_true_iff, Hx).
    destruct (Nat.eq_dec k 0) as [-> | K0]; [| destruct (Nat.eq_dec k d) as [-> | K1]].
    - exists v, v, []. cbn. repeat split; auto; [intros ? [] |]. intros x Hx. rewrite OUT; [ring |].
      now apply order_in.
    - exists u, v, []. cbn. repeat split; auto; [intros ? [] |]. intros x Hx. rewrite IN; [ring |].
      rewrite firstn_all2 by (rewrite order_length; lia). now apply order_in.
    - exists v, (subtract F u v), [(i, k)]. cbn [length repeat map combination predict]. split; auto. split.
      + intros c [<- | []]. unfold proper_cuts. apply in_flat_map. exists i. split; [apply in_seq; lia |].
        apply in_map_iff. exists (k - 1). split; [f_equal; lia | apply in_seq; lia].
      + intros x Hx. unfold indicator. cbn [fst snd].
        destruct (member (firstn k (order rank i points)) x) eqn:M.
        * apply member_spec in M. rewrite IN by exact M. ring.
        * rewrite OUT; [ring |]. destruct (firstn_or_skipn rank i k points x Hx) as [C | C]; auto.
          apply member_spec in C. congruence.
  Qed.

  Lemma sum_cuts trees : forall n, Forall2 (fits (threshold_test R l)) trees (repeat (node leaf leaf) n) ->
    exists u w U, length w = length U /\ length U <= n /\ incl U proper_cuts /\
      forall x, In x points -> total F trees (at_ x) = add F u (combination F w (map indicator U) x).
  Proof.
    induction trees as [|T trees IH]; intros n H.
    - exists (zero_number F), [], []. cbn. repeat split; auto; [lia | intros ? [] |]. intros. ring.
    - destruct n as [|n]; inversion H as [|? ? ? ? HT HF]; subst.
      destruct (IH n HF) as (u & w & U & L & HU & I & E).
      destruct (stump_cuts T HT) as (u' & v & U' & L' & I' & E').
      exists (add F u' u), (repeat v (length U') ++ w), (U' ++ U). rewrite !app_length, repeat_length.
      split; [lia | split; [lia | split; [now apply incl_app |]]]. intros x Hx.
      change (total F (T :: trees) (at_ x)) with (add F (predict T (at_ x)) (total F trees (at_ x))).
      rewrite E, E' by exact Hx. rewrite map_app, combination_app by (now rewrite repeat_length, map_length).
        ring.
  Qed.

  (* The same function from more cuts. *)
  Lemma one_term v c K : In c K -> exists w, length w = length K /\
    forall x, combination F w (map indicator K) x = multiply F v (indicator c x).
  Proof.
    induction K as [|c' K IH]; intros []; subst.
    - exists (v :: repeat (zero_number F) (length K)). cbn. rewrite repeat_length. split; auto. intros x.
      assert (Z : forall L, combination F (repeat (zero_number F) (length L)) (map indicator L) x =
        zero_number F).
      { induction L as [|c0 L IHL]; cbn; auto. rewrite IHL. ring. }
      rewrite Z. ring.
    - destruct IH as (w & L & E); auto. exists (zero_number F :: w). cbn. split; [lia |]. intros x. rewrite E.
      ring.
  Qed.

  Lemma more_cuts U K : incl U K -> forall w, length w = length U -> exists w', length w' = length K /\
    forall x, combination F w (map indicator U) x = combination F w' (map indicator K) x.
  Proof.
    induction U as [|c U IH]; intros I w L.
    - exists (repeat (zero_number F) (length K)). rewrite repeat_length. split; auto. intros x.
      destruct w; [| discriminate]. cbn. clear. induction K as [|c K IH]; cbn; auto. rewrite <- IH. ring.
    - destruct w as [|v w]; [discriminate |].
      destruct (IH (fun z Hz => I z (or_intror Hz)) w ltac:(cbn in L; lia)) as (w1 & L1 & E1).
      destruct (one_term v c K (I c (or_introl eq_refl))) as (w2 & L2 & E2).
      exists (mix F (one_number F) (one_number F) w2 w1). split; [rewrite mix_length; lia |]. intros x.
      rewrite combination_mix by (rewrite map_length; lia). cbn [map combination]. rewrite E1, E2. ring.
  Qed.

  (* A sum that is positive or not becomes one that is positive or negative. *)
  Lemma smallest_positive (p : F) (h : nat -> F) A : positive F p = true ->
    exists e, positive F e = true /\ forall x, In x A -> positive F (h x) = true ->
      h x = e \/ positive F (subtract F (h x) e) = true.
  Proof.
    intros Hp. induction A as [|x A (e & He & H)]. { exists p. split; [exact Hp | intros ? []]. }
    destruct (positive F (h x)) eqn:P.
    2:{ exists e. split; auto. intros z [<- | Hz] Pz; [congruence | auto]. }
    destruct (positive_or_opposite F (subtract F (h x) e)) as [Z | [Q | Q]].
    - exists e. split; auto. intros z [<- | Hz] Pz; auto. left.
      replace e with (add F e (zero_number F)) by ring. rewrite <- Z. ring.
    - exists e. split; auto. intros z [<- | Hz] Pz; auto.
    - exists (h x). split; auto. intros z [<- | Hz] Pz; auto. right.
      replace (opposite F (subtract F (h x) e)) with (subtract F e (h x)) in Q by ring.
      destruct (H z Hz Pz) as [-> | G]; auto.
      replace (subtract F (h z) (h x)) with (add F (subtract F (h z) e) (subtract F e (h x))) by ring.
      now apply positive_add.
  Qed.

  Definition generators (K : list cut) : list (nat -> F) := (fun _ => one_number F) :: map indicator K.

  Lemma pattern_of_cuts trees threshold p : positive F p = true ->
    Forall2 (fits (threshold_test R l)) trees (repeat (node leaf leaf) B) -> B <= l * (d - 1) ->
    exists K, In K (choose cut B proper_cuts) /\ sign_realized F (generators K) points
      (map (fun x => positive F (subtract F (total F trees (at_ x)) threshold)) points).
  Proof.
    intros Hp HF HB. destruct (sum_cuts trees B HF) as (u & w & U & L & HU & I & E).
    destruct (choose_covers cut cut_eq_dec proper_cuts B (nodup cut_eq_dec U)) as (K & HK & IK).
    { apply NoDup_nodup. } { intros c Hc. apply I. now apply nodup_In in Hc. }
    { etransitivity; [| exact HU]. apply NoDup_incl_length; [apply NoDup_nodup |].
      intros c Hc. now apply nodup_In in Hc. }
    { now rewrite proper_cuts_length. }
    exists K. split; auto.
    destruct (more_cuts U K (fun c Hc => IK c (proj2 (nodup_In cut_eq_dec U c) Hc)) w L) as (w' & L' & E').
    set (h := fun x => subtract F (total F trees (at_ x)) threshold).
    destruct (smallest_positive p h points Hp) as (e & He & Small).
    set (a := subtract F u threshold).
    exists (subtract F (add F a a) e :: mix F (one_number F) (one_number F) w' w'). split.
    { unfold generators. cbn [length]. rewrite mix_length, map_length; congruence. }
    assert (G : forall x, In x points -> combination F
        (subtract F (add F a a) e :: mix F (one_number F) (one_number F) w' w') (generators K) x =
      subtract F (add F (h x) (h x)) e).
    { intros x Hx. unfold generators. cbn [combination]. rewrite combination_mix by (now rewrite map_length).
      unfold h. rewrite E, E' by exact Hx. unfold a. ring. }
    assert (S : forall A, incl A points -> has_signs F (combination F
        (subtract F (add F a a) e :: mix F (one_number F) (one_number F) w' w') (generators K)) A
      (map (fun x => positive F (h x)) A)); [| apply S, incl_refl].
    induction A as [|x A IHA]; intros IA; cbn [map]; constructor; [| apply IHA; intros z Hz; apply IA; cbn;
      auto].
    rewrite G by (apply IA; cbn; auto). specialize (Small x (IA x (or_introl eq_refl))).
    destruct (positive F (h x)) eqn:P; cbn [signed].
    - destruct (Small eq_refl) as [Eq | Q].
      + rewrite Eq. replace (subtract F (add F e e) e) with e by ring. exact He.
      + replace (subtract F (add F (h x) (h x)) e) with (add F (h x) (subtract F (h x) e)) by ring.
        now apply positive_add.
    - destruct (positive_or_opposite F (h x)) as [Z | [Q | Q]]; [| congruence |].
      + rewrite Z. replace (opposite F (subtract F (add F (zero_number F) (zero_number F)) e)) with e by ring.
        exact He.
      + replace (opposite F (subtract F (add F (h x) (h x)) e)) with
          (add F (add F (opposite F (h x)) (opposite F (h x))) e) by ring.
        apply positive_add; auto. now apply positive_add.
  Qed.
End Stumps.

Theorem sums_of_stumps_upper_bound :
  forall (F : ordered_ring) (R : linear_order) (l B : nat) (sample : list (nat -> R)),
  weighted_sums_shatter F (threshold_test R l) (repeat (node leaf leaf) B) sample ->
  1 <= length sample -> B <= l * (length sample - 1) ->
  2 ^ length sample <= binomial (l * (length sample - 1)) B * (2 * sum (S B) (binomial (length sample - 1))).
Proof.
  intros F R l B sample H Hd HB. destruct sample as [|x0 sample]; [cbn in Hd; lia |].
  set (S0 := x0 :: sample) in *. set (d := length S0) in *.
  assert (P : exists p, positive F p = true).
  { destruct (H (repeat 1 d)) as (trees & threshold & _ & E); [apply repeat_length | |].
    { apply Forall_forall. intros c Hc. apply repeat_spec in Hc. lia. }
    cbn in E. injection E as E _. destruct (positive F (subtract F (total F trees x0) threshold)) eqn:P;
      [eauto | discriminate]. }
  destruct P as (p & Hp). pose proof (proper_cuts_length R l S0) as PC. fold d in PC.
    rewrite <- PC, <- (choose_length cut).
  assert (LS : length (all_sets d) = 2 ^ d).
  { clear. induction d as [|n IH]; auto. cbn [all_sets Nat.pow]. rewrite app_length, !map_length. lia. }
  rewrite <- LS. apply (few_of_each (fun K y => sign_realized F (generators F R S0 x0 K) (seq 0 d) y)).
  - intros K Y HK ND HY. pose proof (few_sign_patterns F (seq 0 d) (generators F R S0 x0 K) Y ND HY) as C.
    apply choose_size in HK. unfold generators in C. cbn [length] in C.
      rewrite map_length, HK, seq_length in C.
    replace d with (S (d - 1)) in C at 1 by lia. now rewrite sign_patterns_sum in C.
  - apply all_sets_NoDup.
  - intros y Hy. apply all_sets_spec in Hy.
    destruct (H (map (fun b : bool => if b then 1 else 0) y)) as (trees & threshold & HF & E).
    { now rewrite map_length. } { apply Forall_map, Forall_forall. intros [|] _; auto. }
    destruct (pattern_of_cuts F R l B S0 x0 trees threshold p Hp HF HB) as (K & HK & HS). exists K. split;
      auto.
    replace y with (map (fun x => positive F (subtract F (total F trees (nth x S0 x0)) threshold)) (seq 0 d));
      auto.
    apply bits_injective. rewrite <- E, map_map.
    rewrite <- (map_map (fun x => nth x S0 x0) (fun x => if positive F (subtract F (total F trees x)
      threshold) then 1 else 0)).
    f_equal. apply map_nth_seq.
Qed.
