(* Tutte's theorem on perfect matchings, in the form that the stump theorem needs (chapter "The conjecture is true").

   In words: a finite simple graph with an even number of vertices has a perfect matching, or there are a set S of
   vertices and a coloring of the others such that adjacent ones have the same color and at least |S| + 2 colors have
   an odd number of vertices. (The vertices of a color form a union of components; Tutte's condition in the usual form
   follows.) The proof is Lovasz's. *)

From Coq Require Import List Arith Lia Permutation Bool.
From Treebounds Require Import Definitions Counting.
Import ListNotations.

Section Tutte.
  Variable X : Type.
  Variable eq_dec : forall x y : X, {x = y} + {x <> y}.

  Definition same (x y : X) : bool := if eq_dec x y then true else false.
  Definition within (x : X) (L : list X) : bool := if in_dec eq_dec x L then true else false.

  Lemma same_spec x y : same x y = true <-> x = y.
  Proof. unfold same. destruct (eq_dec x y); intuition discriminate. Qed.

  Lemma within_spec x L : within x L = true <-> In x L.
  Proof. unfold within. destruct (in_dec eq_dec x L); intuition discriminate. Qed.

  (* p assigns every vertex its partner. *)
  Definition matching (adj : X -> X -> bool) (V : list X) (p : X -> X) : Prop :=
    forall x, In x V -> In (p x) V /\ p x <> x /\ p (p x) = x /\ adj x (p x) = true.

  Definition class (V S : list X) (c : X -> X) (k : X) : list X :=
    filter (fun x => same (c x) k) (filter (fun x => negb (within x S)) V).

  Definition barrier (adj : X -> X -> bool) (V : list X) : Prop :=
    exists S c K, NoDup S /\ incl S V /\ NoDup K /\ length S + 2 <= length K /\
      (forall x y, In x V -> In y V -> ~ In x S -> ~ In y S -> adj x y = true -> c x = c y) /\
      (forall k, In k K -> Nat.Odd (length (class V S c k))).

  (* ---- Pairs make a matching --------------------------------------------------------------------------------------- *)

  Definition ends (M : list (X * X)) : list X := flat_map (fun e => [fst e; snd e]) M.

  Fixpoint partner (M : list (X * X)) (x : X) : X :=
    match M with
    | [] => x
    | (a, b) :: M' => if same x a then b else if same x b then a else partner M' x
    end.

  Lemma partner_matching adj M : (forall x y, adj x y = adj y x) -> NoDup (ends M) ->
    Forall (fun e => adj (fst e) (snd e) = true) M -> matching adj (ends M) (partner M).
  Proof.
    intros sym. induction M as [|[a b] M IH]; intros ND F x Hx; [destruct Hx |].
    cbn [ends flat_map fst snd app] in *. apply NoDup_cons_iff in ND as [Ha ND]. apply NoDup_cons_iff in ND as [Hb ND].
    inversion F as [|? ? Hab F']; subst. cbn [fst snd] in Hab. fold (ends M) in *.
    assert (NE : a <> b) by (intros ->; apply Ha; cbn; auto).
    cbn [partner]. unfold same. destruct (eq_dec x a) as [-> | Nxa].
    - destruct (eq_dec b a) as [E | _]; [congruence |]. destruct (eq_dec b b) as [_ | ]; [| congruence].
      repeat split; auto. cbn. auto.
    - destruct (eq_dec x b) as [-> | Nxb].
      + destruct (eq_dec a a) as [_ |]; [| congruence]. repeat split; auto. { cbn. auto. } now rewrite sym.
      + destruct Hx as [E | [E | Hx]]; try congruence. destruct (IH ND F' x Hx) as (I1 & I2 & I3 & I4).
        destruct (eq_dec (partner M x) a) as [E | _]. { exfalso. apply Ha. right. now rewrite <- E. }
        destruct (eq_dec (partner M x) b) as [E | _]. { exfalso. apply Hb. now rewrite <- E. }
        repeat split; auto. cbn. auto.
  Qed.

  Lemma matching_permutation adj V W p : (forall x, In x V <-> In x W) -> matching adj V p -> matching adj W p.
  Proof. intros E H x Hx. apply E in Hx. destruct (H x Hx) as (? & ? & ? & ?). repeat split; auto. now apply E. Qed.

  (* ---- Two matchings with one more edge each (the heart of the proof) ------------------------------------------------- *)

  Section Combine.
    Variable adj : X -> X -> bool.
    Variable V : list X.
    Variables a b c d : X.
    Hypothesis sym : forall x y, adj x y = adj y x.
    Hypothesis irreflexive : forall x, adj x x = false.
    Hypothesis Va : In a V.
    Hypothesis Vb : In b V.
    Hypothesis Vc : In c V.
    Hypothesis Vd : In d V.
    Hypothesis ab : adj a b = true.
    Hypothesis bc : adj b c = true.
    Hypothesis ac : a <> c.
    Hypothesis bd : b <> d.

    Definition plus (u v x y : X) : bool := adj x y || (same x u && same y v) || (same x v && same y u).

    Lemma plus_spec u v x y : plus u v x y = true -> adj x y = true \/ (x = u /\ y = v) \/ (x = v /\ y = u).
    Proof. unfold plus. rewrite !orb_true_iff, !andb_true_iff, !same_spec. tauto. Qed.

    Variables p1 p2 : X -> X.
    Hypothesis M1 : matching (plus a c) V p1.
    Hypothesis M2 : matching (plus b d) V p2.

    Lemma unused_edge u v p : matching (plus u v) V p -> p u <> v -> matching adj V p.
    Proof.
      intros M H x Hx. destruct (M x Hx) as (H1 & H2 & H3 & H4). repeat split; auto.
      apply plus_spec in H4 as [H4 | [[-> E] | [-> E]]]; [exact H4 | congruence | exfalso]. apply H. rewrite <- E. exact H3.
    Qed.

    Definition it (t : nat) : X := Nat.iter t (fun x => p2 (p1 x)) d.

    Lemma it_in t : In (it t) V.
    Proof. induction t; cbn; auto. apply M2, M1, IHt. Qed.

    Lemma p1_in t : In (p1 (it t)) V.
    Proof. apply M1, it_in. Qed.

    Lemma p1_p1 t : p1 (p1 (it t)) = it t.
    Proof. apply M1, it_in. Qed.

    Lemma p2_it t : p2 (it (S t)) = p1 (it t).
    Proof. cbn. apply M2, p1_in. Qed.

    (* Vertices at even and at odd places of the alternating walk differ. *)
    Lemma even_odd_distance n : forall i j, j = i + n -> it i <> p1 (it j).
    Proof.
      induction n as [n IH] using lt_wf_ind. intros i j Hj E. destruct n as [|[|n]].
      - rewrite Nat.add_0_r in Hj. subst. symmetry in E. revert E. apply M1, it_in.
      - assert (E2 : p1 (it i) = it (S i)). { rewrite E. replace j with (S i) by lia. apply p1_p1. }
        change (it (S i)) with (p2 (p1 (it i))) in E2. symmetry in E2. revert E2. apply M2, p1_in.
      - apply (IH n ltac:(lia) (S i) (j - 1)); [lia |]. change (it (S i)) with (p2 (p1 (it i))). rewrite E, p1_p1.
        replace j with (S (j - 1)) by lia. rewrite p2_it. f_equal. f_equal. lia.
    Qed.

    Lemma even_odd i j : it i <> p1 (it j).
    Proof.
      destruct (le_lt_dec i j).
      - apply (even_odd_distance (j - i)). lia.
      - intros E. apply (even_odd_distance (i - j) j i); [lia |]. rewrite E. symmetry. apply p1_p1.
    Qed.

    Lemma it_injective i j : it (S i) = it (S j) -> it i = it j.
    Proof.
      intros E. apply (f_equal p2) in E. rewrite !p2_it in E. apply (f_equal p1) in E. now rewrite !p1_p1 in E.
    Qed.

    Lemma it_returns : exists t, it (S t) = d.
    Proof.
      assert (H : forall n, (exists i j, i < j /\ it i = it j) \/ NoDup (map it (seq 0 n))).
      { induction n. { right. constructor. } destruct IHn as [IH | IH]; auto.
        destruct (in_dec eq_dec (it n) (map it (seq 0 n))) as [Hn | Hn].
        - left. apply in_map_iff in Hn as (i & E & Hi). apply in_seq in Hi. exists i, n. split; [lia | auto].
        - right. rewrite seq_S, map_app. apply NoDup_app_parts. split; [auto | split].
          + repeat constructor. auto.
          + intros x Hx [<- | []]. auto. }
      destruct (H (S (length V))) as [(i & j & Hij & E) | ND].
      - revert j Hij E. induction i; intros j Hij E.
        + exists (j - 1). replace (S (j - 1)) with j by lia. symmetry. exact E.
        + destruct j; [lia |]. apply (IHi j); [lia |]. now apply it_injective.
      - apply NoDup_incl_length with (l' := V) in ND.
        + rewrite map_length, seq_length in ND. lia.
        + intros x Hx. apply in_map_iff in Hx as (t & <- & _). apply it_in.
    Qed.

    Lemma first_true (P : nat -> bool) T : P T = true -> exists t, P t = true /\ forall s, s < t -> P s = false.
    Proof.
      induction T as [T IH] using lt_wf_ind. intros H.
      destruct (existsb P (seq 0 T)) eqn:E.
      - apply existsb_exists in E as (s & Hs & E). apply in_seq in Hs. apply (IH s); auto. lia.
      - exists T. split; auto. intros s Hs. destruct (P s) eqn:Es; auto.
        assert (existsb P (seq 0 T) = true); [| congruence]. apply existsb_exists. exists s. split; auto. apply in_seq. lia.
    Qed.

    Definition segment (t : nat) : list X := flat_map (fun s => [it s; p1 (it s)]) (seq 0 t).

    Lemma segment_spec t y : In y (segment t) <-> exists s, s < t /\ (y = it s \/ y = p1 (it s)).
    Proof.
      unfold segment. rewrite in_flat_map. split.
      - intros (s & Hs & [<- | [<- | []]]); apply in_seq in Hs; exists s; (split; [lia | auto]).
      - intros (s & Hs & [-> | ->]); exists s; rewrite in_seq; cbn; (split; [lia | auto]).
    Qed.

    Lemma segment_p1 t y : In y (segment t) -> In (p1 y) (segment t) /\ p1 (p1 y) = y /\ p1 y <> y /\ In y V.
    Proof.
      rewrite !segment_spec. intros (s & Hs & [-> | ->]).
      - repeat split; [exists s; auto | apply p1_p1 | apply M1, it_in | apply it_in].
      - repeat split; [exists s; split; auto; left; apply p1_p1 | now rewrite p1_p1 | rewrite p1_p1; apply even_odd | apply p1_in].
    Qed.

    Lemma combine_matchings : exists p, matching adj V p.
    Proof.
      destruct (eq_dec (p1 a) c) as [E1 |]; [| exists p1; now apply (unused_edge a c)].
      destruct (eq_dec (p2 b) d) as [E2 |]; [| exists p2; now apply (unused_edge b d)].
      assert (D2 : p2 d = b) by (rewrite <- E2; now apply M2).
      assert (C1 : p1 c = a) by (rewrite <- E1; now apply M1).
      assert (AB : a <> b) by (intros ->; rewrite irreflexive in ab; discriminate).
      assert (BC : b <> c) by (intros ->; rewrite irreflexive in bc; discriminate).
      set (stop := fun t => same (it t) a || same (it t) c || same (p1 (it t)) b).
      assert (ST : exists t, stop t = true).
      { destruct it_returns as (t & Ht). exists t. unfold stop. rewrite !orb_true_iff, !same_spec. right.
        rewrite <- p2_it, Ht. exact D2. }
      destruct ST as (T & HT). destruct (first_true stop T HT) as (t & Stop & Before). clear T HT.
      assert (B : forall s, s < t -> it s <> a /\ it s <> c /\ p1 (it s) <> b).
      { intros s Hs. specialize (Before s Hs). unfold stop in Before. rewrite !orb_false_iff in Before.
        assert (N : forall u v, same u v = false -> u <> v) by (intros u v E F; apply same_spec in F; congruence).
        destruct Before as [[Q1 Q2] Q3]. auto. }
      (* An edge of M1 within the segment is an old edge. *)
      assert (OLD1 : forall s y, (forall r, r < s -> it r <> a /\ it r <> c) -> In y (segment s) -> adj y (p1 y) = true).
      { intros s y HB Hy. destruct (segment_p1 s y Hy) as (Hp & _ & _ & HV).
        destruct (M1 y HV) as (_ & _ & _ & H). apply plus_spec in H as [H | H]; auto. exfalso.
        apply segment_spec in Hy as (r & Hr & Hy). specialize (HB r Hr). destruct HB as [Ba Bc].
        destruct Hy as [-> | ->].
        - destruct H as [[H _] | [H _]]; contradiction.
        - rewrite p1_p1 in H. destruct H as [[_ H] | [_ H]]; contradiction. }
      assert (BE : forall s, it s <> b).
      { intros [|s] E; [change (it 0) with d in E; congruence |]. apply (even_odd 0 s). change (it 0) with d. rewrite <- p2_it, E. symmetry. exact E2. }
      destruct (eq_dec (p1 (it t)) b) as [EB | NB].
      - (* The walk comes back to b: take M1 on it. *)
        assert (NA : it t <> a /\ it t <> c).
        { split; intros E; rewrite E in EB; congruence. }
        set (seg := segment (S t)).
        assert (Ib : In b seg) by (apply segment_spec; exists t; auto).
        assert (Id : In d seg) by (apply segment_spec; exists 0; split; [lia | auto]).
        assert (OUT : forall y, In y V -> ~ In y seg -> ~ In (p2 y) seg).
        { intros y HV Hy H. assert (YY : p2 (p2 y) = y) by now apply M2.
          apply segment_spec in H as (s & Hs & [E | E]).
          - destruct s. { change (it 0) with d in E. apply Hy. assert (Y : y = b); [| rewrite Y; exact Ib]. congruence. }
            apply Hy, segment_spec. exists s. split; [lia |]. right. rewrite <- p2_it, <- E. congruence.
          - assert (EY : y = it (S s)). { change (it (S s)) with (p2 (p1 (it s))). rewrite <- E. congruence. }
            destruct (Nat.eq_dec s t) as [-> | NE].
            + apply Hy. assert (Y : y = d); [| rewrite Y; exact Id]. rewrite EY. change (it (S t)) with (p2 (p1 (it t))). now rewrite EB.
            + apply Hy, segment_spec. exists (S s). split; [lia | auto]. }
        exists (fun y => if within y seg then p1 y else p2 y). intros y Hy.
        destruct (within y seg) eqn:Ey.
        + apply within_spec in Ey. destruct (segment_p1 _ _ Ey) as (Hp & Hpp & Hne & _).
          assert (Ep : within (p1 y) seg = true) by now apply within_spec. rewrite Ep. repeat split; auto; [now apply M1 |].
          apply (OLD1 (S t)); auto. intros r Hr. destruct (Nat.eq_dec r t) as [-> |]; [exact NA |]. destruct (B r ltac:(lia)) as (? & ? & _). auto.
        + assert (Ny : ~ In y seg) by (rewrite <- within_spec; congruence).
          assert (Ep : within (p2 y) seg = false).
          { destruct (within (p2 y) seg) eqn:Ep; auto. apply within_spec in Ep. exfalso. now apply (OUT y). }
          rewrite Ep. destruct (M2 y Hy) as (H1 & H2 & H3 & H4). repeat split; auto.
          apply plus_spec in H4 as [H4 | [[-> _] | [-> _]]]; auto; contradiction.
      - (* The walk meets x, one of a and c: match x with b, the walk before x by M1. *)
        assert (HX : it t = a \/ it t = c).
        { unfold stop in Stop. rewrite !orb_true_iff, !same_spec in Stop. tauto. }
        set (x := it t) in *. set (seg := segment t).
        assert (XB : adj x b = true) by (destruct HX as [-> | ->]; [auto | now rewrite sym]).
        assert (Nxb : x <> b) by apply BE.
        assert (Xs : ~ In x seg).
        { intros H. apply segment_spec in H as (s & Hs & [E | E]).
          - destruct (B s Hs) as (? & ? & _). destruct HX; congruence.
          - exact (even_odd t s E). }
        assert (Bs : ~ In b seg).
        { intros H. apply segment_spec in H as (s & Hs & [E | E]); [exact (BE s (eq_sym E)) |]. destruct (B s Hs) as (_ & _ & ?). congruence. }
        assert (OUT : forall y, In y V -> ~ In y seg -> y <> b -> y <> x -> ~ In (p2 y) seg /\ p2 y <> b /\ p2 y <> x).
        { intros y HV Hy Nb Nx. assert (YY : p2 (p2 y) = y) by now apply M2. repeat split.
          - intros H. apply segment_spec in H as (s & Hs & [E | E]).
            + destruct s. { change (it 0) with d in E. rewrite E, D2 in YY. congruence. }
              apply Hy, segment_spec. exists s. split; [lia |]. right. rewrite <- p2_it, <- E. congruence.
            + assert (EY : y = it (S s)). { change (it (S s)) with (p2 (p1 (it s))). rewrite <- E. congruence. }
              destruct (Nat.eq_dec (S s) t) as [Es | NE]; [subst t; contradiction |].
              apply Hy, segment_spec. exists (S s). split; [lia | auto].
          - intros E. assert (EY : y = d) by congruence. destruct t as [|t']; [apply Nx; exact EY |].
            apply Hy, segment_spec. exists 0. split; [lia | auto].
          - intros E. destruct t as [|t'].
            + change x with d in E. apply Nb. congruence.
            + apply Hy, segment_spec. exists t'. split; [lia |]. right. rewrite <- p2_it. change (it (S t')) with x. congruence. }
        exists (fun y => if same y b then x else if same y x then b else if within y seg then p1 y else p2 y). intros y Hy.
        unfold same. destruct (eq_dec y b) as [-> | Nyb].
        + destruct (eq_dec x b) as [| _]; [congruence |]. destruct (eq_dec x x) as [_ |]; [| congruence].
          repeat split; auto; [apply it_in | now rewrite sym].
        + destruct (eq_dec y x) as [-> | Nyx].
          * destruct (eq_dec b b) as [_ |]; [| congruence]. repeat split; auto.
          * destruct (within y seg) eqn:Ey.
            -- apply within_spec in Ey. destruct (segment_p1 _ _ Ey) as (Hp & Hpp & Hne & _).
               destruct (eq_dec (p1 y) b) as [E |]; [rewrite E in Hp; contradiction |].
               destruct (eq_dec (p1 y) x) as [E |]; [rewrite E in Hp; contradiction |].
               assert (Ep : within (p1 y) seg = true) by now apply within_spec. rewrite Ep. repeat split; auto; [now apply M1 |].
               apply (OLD1 t); auto. intros r Hr. destruct (B r Hr) as (? & ? & _). auto.
            -- assert (Ny : ~ In y seg) by (rewrite <- within_spec; congruence).
               destruct (OUT y Hy Ny Nyb Nyx) as (O1 & O2 & O3).
               destruct (eq_dec (p2 y) b) as [| _]; [contradiction |]. destruct (eq_dec (p2 y) x) as [| _]; [contradiction |].
               assert (Ep : within (p2 y) seg = false).
               { destruct (within (p2 y) seg) eqn:Ep; auto. apply within_spec in Ep. contradiction. }
               rewrite Ep. destruct (M2 y Hy) as (H1 & H2 & H3 & H4). repeat split; auto.
               apply plus_spec in H4 as [H4 | [[-> _] | [_ E]]]; auto; contradiction.
    Qed.
  End Combine.

  (* ---- Graphs in which every vertex outside S has transitive neighbours ------------------------------------------------ *)

  Section Final.
    Variable adj : X -> X -> bool.
    Hypothesis sym : forall x y, adj x y = adj y x.
    Hypothesis irreflexive : forall x, adj x x = false.

    Lemma greedy n : forall U, length U <= n -> NoDup U ->
      exists M R, Permutation U (ends M ++ R) /\ Forall (fun e => adj (fst e) (snd e) = true) M /\
        (forall x y, In x R -> In y R -> adj x y = false).
    Proof.
      induction n; intros U HU ND.
      { destruct U; [| cbn in HU; lia]. exists [], []. repeat split; auto. intros ? ? []. }
      destruct U as [|x U]. { exists [], []. repeat split; auto. intros ? ? []. }
      cbn in HU. apply NoDup_cons_iff in ND as [Hx ND]. destruct (existsb (adj x) U) eqn:E.
      - apply existsb_exists in E as (y & Hy & E). apply in_split in Hy as (A & B & ->).
        destruct (IHn (A ++ B)) as (M & R & HP & HM & HR).
        { rewrite app_length in *. cbn in HU. lia. }
        { now apply NoDup_remove_1 in ND. }
        exists ((x, y) :: M), R. repeat split; auto. cbn [ends flat_map fst snd app]. constructor.
        rewrite <- Permutation_middle. now constructor.
      - destruct (IHn U) as (M & R & HP & HM & HR); auto; [lia |].
        exists M, (x :: R). repeat split; auto.
        + rewrite <- Permutation_middle. now constructor.
        + assert (Z : forall z, In z R -> adj x z = false).
          { intros z Hz. destruct (adj x z) eqn:Ez; auto. assert (existsb (adj x) U = true); [| congruence].
            apply existsb_exists. exists z. split; auto. apply (Permutation_in z (Permutation_sym HP)), in_app_iff. auto. }
          intros u v [<- | Hu] [<- | Hv]; auto. rewrite sym. auto.
    Qed.

    Lemma pair_up L : NoDup L -> Nat.Even (length L) -> (forall x y, In x L -> In y L -> x <> y -> adj x y = true) ->
      exists M, ends M = L /\ Forall (fun e => adj (fst e) (snd e) = true) M.
    Proof.
      remember (length L) as n. revert L Heqn. induction n as [n IH] using lt_wf_ind. intros L E ND HE HA.
      destruct L as [|x [|y L]].
      - exists []. auto.
      - cbn in E. subst. destruct HE as (k & Hk). lia.
      - apply NoDup_cons_iff in ND as [Hx ND]. apply NoDup_cons_iff in ND as [Hy ND].
        destruct (IH (length L)) with (L := L) as (M & <- & HM); auto.
        + cbn in E. lia.
        + cbn in E. destruct HE as (k & Hk). exists (k - 1). lia.
        + intros; apply HA; cbn; auto.
        + exists ((x, y) :: M). split; auto. constructor; auto. cbn. apply HA; cbn; auto. intros ->. apply Hx. cbn. auto.
    Qed.

    Variable V S0 : list X.
    Hypothesis NDV : NoDup V.
    Hypothesis NDS : NoDup S0.
    Hypothesis SV : incl S0 V.
    Hypothesis universal : forall s x, In s S0 -> In x V -> x <> s -> adj s x = true.
    Hypothesis transitive : forall x y z, In x V -> In y V -> In z V -> ~ In y S0 -> adj x y = true -> adj y z = true -> x <> z -> adj x z = true.
    Hypothesis even : Nat.Even (length V).

    Definition outside : list X := filter (fun x => negb (within x S0)) V.

    Lemma outside_spec x : In x outside <-> In x V /\ ~ In x S0.
    Proof.
      unfold outside. rewrite filter_In, negb_true_iff. rewrite <- (within_spec x S0). destruct (within x S0); intuition congruence.
    Qed.

    Definition colour (x : X) : X := match find (fun y => same y x || adj y x) outside with Some y => y | None => x end.

    Lemma colour_adjacent x y : In x outside -> In y outside -> adj x y = true -> colour x = colour y.
    Proof.
      intros Hx Hy H. unfold colour.
      assert (E : forall z, In z outside -> same z x || adj z x = same z y || adj z y).
      { intros z Hz. apply outside_spec in Hx as [Vx Sx], Hy as [Vy Sy], Hz as [Vz Sz].
        apply eq_iff_eq_true. rewrite !orb_true_iff, !same_spec. split.
        - intros [-> | Hzx]; auto. destruct (eq_dec z y); auto. right. apply (transitive z x y); auto.
        - intros [-> | Hzy]; [right; now rewrite sym |]. destruct (eq_dec z x); auto. right.
          apply (transitive z y x); auto. now rewrite sym. }
      assert (F : forall L, incl L outside -> find (fun z => same z x || adj z x) L = find (fun z => same z y || adj z y) L).
      { induction L as [|z L IH]; intros HL; auto. cbn. rewrite E by (apply HL; cbn; auto).
        destruct (same z y || adj z y); auto. apply IH. intros w Hw. apply HL. cbn. auto. }
      rewrite F by apply incl_refl.
      destruct (find (fun y0 => same y0 y || adj y0 y) outside) eqn:EF; auto.
      exfalso. pose proof (find_none _ _ EF y Hy) as N. cbn in N. unfold same in N. destruct (eq_dec y y); [discriminate | congruence].
    Qed.

    Lemma colour_same x y : In x outside -> In y outside -> colour x = colour y -> x = y \/ adj x y = true.
    Proof.
      intros Hx Hy. unfold colour.
      assert (G : forall x, In x outside -> exists z, find (fun y0 => same y0 x || adj y0 x) outside = Some z /\ In z outside /\ (z = x \/ adj z x = true)).
      { intros z Hz. destruct (find (fun y0 => same y0 z || adj y0 z) outside) as [w |] eqn:EF.
        - apply find_some in EF as [Hw EF]. exists w. repeat split; auto. rewrite orb_true_iff, same_spec in EF. exact EF.
        - exfalso. pose proof (find_none _ _ EF z Hz) as N. cbn in N. unfold same in N. destruct (eq_dec z z); [discriminate | congruence]. }
      destruct (G x Hx) as (u & -> & Hu & Ux), (G y Hy) as (v & -> & _ & Vy). intros <-.
      apply outside_spec in Hx as [Vx Sx], Hy as [VVy Sy], Hu as [Vu Su].
      destruct (eq_dec x y) as [| NE]; auto. right.
      destruct Ux as [Ux | Ux], Vy as [Vy | Vy]; [congruence | rewrite <- Ux; exact Vy | rewrite <- Vy, sym; exact Ux |].
      apply (transitive x u y); auto. now rewrite sym.
    Qed.

    Lemma even_filter_ends (q : X -> bool) M : (forall e, In e M -> q (fst e) = q (snd e)) -> Nat.Even (length (filter q (ends M))).
    Proof.
      induction M as [|[x y] M IH]; intros H; [exists 0; auto |]. cbn [ends flat_map fst snd app filter].
      destruct IH as (k & Hk). { intros; apply H; cbn; auto. } fold (ends M) in *.
      pose proof (H (x, y) (or_introl eq_refl)) as E. cbn in E. rewrite <- E.
      destruct (q x); cbn [length]; [exists (S k) | exists k]; lia.
    Qed.

    Lemma Permutation_filter (q : X -> bool) L L' : Permutation L L' -> Permutation (filter q L) (filter q L').
    Proof.
      induction 1; cbn; auto.
      - destruct (q x); auto. - destruct (q x), (q y); auto using perm_swap. - etransitivity; eauto.
    Qed.

    Lemma final : (exists p, matching adj V p) \/ barrier adj V.
    Proof.
      assert (NDO : NoDup outside) by (apply NoDup_filter; auto).
      destruct (greedy (length outside) outside (le_n _) NDO) as (M & R & HP & HM & HR).
      assert (NDMR : NoDup (ends M ++ R)) by (eapply Permutation_NoDup; eauto).
      assert (HO : forall x, In x (ends M ++ R) -> In x outside) by (intros x; apply Permutation_in; now symmetry).
      assert (PV : Permutation V (S0 ++ outside)).
      { apply NoDup_Permutation; auto.
        - apply NoDup_app_parts. repeat split; auto. intros x Hx Hx'. now apply outside_spec in Hx'.
        - intros x. rewrite in_app_iff, outside_spec. destruct (in_dec eq_dec x S0); intuition. }
      assert (LM : exists k, length (ends M) = 2 * k).
      { destruct (even_filter_ends (fun _ => true) M) as (k & Hk); auto. exists k. rewrite <- Hk. f_equal. clear.
        induction (ends M) as [|x L IH]; cbn; congruence. }
      destruct LM as (k & LM). destruct even as (k' & EV).
      assert (LV : length V = length S0 + (2 * k + length R)).
      { rewrite (Permutation_length PV), app_length, (Permutation_length HP), app_length. lia. }
      destruct (le_lt_dec (length R) (length S0)) as [HL | HL].
      - left.
        destruct (pair_up (skipn (length R) S0)) as (M' & E' & HM').
        { rewrite <- (firstn_skipn (length R) S0) in NDS. now apply NoDup_app_parts in NDS. }
        { rewrite skipn_length. exists (k' - k - length R). lia. }
        { assert (I : forall x, In x (skipn (length R) S0) -> In x S0).
          { intros x Hx. rewrite <- (firstn_skipn (length R) S0), in_app_iff. auto. }
          intros x y Hx Hy NE. apply universal; auto. }
        set (M2 := combine (firstn (length R) S0) R).
        assert (LF : length (firstn (length R) S0) = length R) by (rewrite firstn_length; lia).
        assert (PE : forall A B : list X, length A = length B -> Permutation (ends (combine A B)) (A ++ B)).
        { induction A as [|x A IH]; intros [|y B] HAB; try discriminate; auto. injection HAB as HAB. cbn.
          constructor. fold (ends (combine A B)). rewrite <- Permutation_middle. constructor. auto. }
        assert (EA : ends (M ++ M2 ++ M') = ends M ++ ends M2 ++ ends M') by (unfold ends; now rewrite !flat_map_app).
        assert (PA : Permutation (ends (M ++ M2 ++ M')) V).
        { rewrite EA, E'. unfold M2. rewrite (PE _ _ LF). rewrite PV, HP. rewrite <- (firstn_skipn (length R) S0) at 3.
          rewrite !app_assoc. rewrite (Permutation_app_comm _ (skipn (length R) S0)). rewrite !app_assoc.
          rewrite (Permutation_app_comm (firstn (length R) S0) (skipn (length R) S0)).
          apply Permutation_app_tail. rewrite <- !app_assoc. apply Permutation_app_head. apply Permutation_app_comm. }
        exists (partner (M ++ M2 ++ M')). apply (matching_permutation adj (ends (M ++ M2 ++ M'))).
        + intros x. split; apply Permutation_in; auto. now symmetry.
        + apply partner_matching; auto. { eapply Permutation_NoDup; [symmetry; exact PA | auto]. }
          rewrite !Forall_app. repeat split; auto. rewrite Forall_forall. intros [x y] He. unfold M2 in He.
          pose proof (in_combine_l _ _ _ _ He) as Hx. pose proof (in_combine_r _ _ _ _ He) as Hy. cbn.
          assert (Hy' : In y outside) by (apply HO, in_app_iff; auto). apply outside_spec in Hy' as [VVy Sy].
          assert (Hx' : In x S0) by (rewrite <- (firstn_skipn (length R) S0), in_app_iff; auto).
          apply universal; auto. intros ->. contradiction.
      - right. exists S0, colour, (map colour R).
        assert (RO : forall x, In x R -> In x outside) by (intros x Hx; apply HO, in_app_iff; auto).
        assert (INJ : forall x y, In x R -> In y R -> colour x = colour y -> x = y).
        { intros x y Hx Hy E. destruct (colour_same x y) as [| A]; auto. rewrite (HR x y) in A by auto. discriminate. }
        assert (NDR : NoDup R) by now apply NoDup_app_parts in NDMR.
        repeat split; auto.
        + apply NoDup_map_injective; auto.
        + rewrite map_length. lia.
        + intros x y Vx Vy Sx Sy A. apply colour_adjacent; auto; now apply outside_spec.
        + intros q Hq. apply in_map_iff in Hq as (r & <- & Hr). unfold class. fold outside.
          rewrite (Permutation_length (Permutation_filter _ _ _ HP)), filter_app, app_length.
          destruct (even_filter_ends (fun x => same (colour x) (colour r)) M) as (j & Hj).
          { intros [x y] He. cbn. assert (In x (ends M) /\ In y (ends M)) as [Ix Iy].
            { unfold ends. rewrite !in_flat_map. split; exists (x, y); cbn; auto. }
            rewrite (colour_adjacent x y); auto.
            - apply HO, in_app_iff. auto. - apply HO, in_app_iff. auto.
            - rewrite Forall_forall in HM. exact (HM _ He). }
          assert (ONE : length (filter (fun x => same (colour x) (colour r)) R) = 1).
          { clear - NDR INJ Hr. apply in_split in Hr as (A & B & ->). rewrite filter_app. cbn [filter].
            assert (Z : forall L, (forall x, In x L -> colour x <> colour r) -> filter (fun x => same (colour x) (colour r)) L = []).
            { induction L as [|x L IH]; intros H; auto. cbn. unfold same. destruct (eq_dec (colour x) (colour r)) as [E |].
              - exfalso. apply (H x); cbn; auto. - apply IH. intros; apply H; cbn; auto. }
            assert (Nr : ~ In r (A ++ B)) by now apply NoDup_remove_2.
            rewrite (Z A), (Z B).
            - unfold same. destruct (eq_dec (colour r) (colour r)); [reflexivity | congruence].
            - intros x Hx E. apply Nr. rewrite (INJ r x); auto; rewrite !in_app_iff; cbn; auto.
            - intros x Hx E. apply Nr. rewrite (INJ r x); auto; rewrite !in_app_iff; cbn; auto. }
          rewrite Hj, ONE. exists j. lia.
    Qed.
  End Final.

  (* ---- Lovasz's proof --------------------------------------------------------------------------------------------------- *)

  Lemma barrier_monotone adj adj' V : (forall x y, adj x y = true -> adj' x y = true) -> barrier adj' V -> barrier adj V.
  Proof. intros H (S & c & K & H1 & H2 & H3 & H4 & H5 & H6). exists S, c, K. repeat split; auto. Qed.

  Lemma matching_or_barrier (adj : X -> X -> bool) (V : list X) :
    NoDup V -> (forall x y, adj x y = adj y x) -> (forall x, adj x x = false) -> Nat.Even (length V) ->
    (exists p, matching adj V p) \/ barrier adj V.
  Proof.
    intros NDV sym irr even. remember (length (filter (fun e => negb (adj (fst e) (snd e))) (list_prod V V))) as n.
    revert adj sym irr Heqn. induction n as [n IH] using lt_wf_ind. intros adj sym irr En.
    set (bad := fun a b c d => adj a b && adj b c && negb (same a c) && negb (adj a c) && negb (same b d) && negb (adj b d)).
    destruct (existsb (fun a => existsb (fun b => existsb (fun c => existsb (fun d => bad a b c d) V) V) V) V) eqn:EB.
    - apply existsb_exists in EB as (a & Va & EB). apply existsb_exists in EB as (b & Vb & EB).
      apply existsb_exists in EB as (c & Vc & EB). apply existsb_exists in EB as (d & Vd & EB).
      unfold bad in EB. rewrite !andb_true_iff, !negb_true_iff in EB.
      destruct EB as (((((Hab & Hbc) & Nac) & Aac) & Nbd) & Abd).
      assert (ac : a <> c) by (intros E; apply same_spec in E; congruence).
      assert (bd : b <> d) by (intros E; apply same_spec in E; congruence).
      assert (MON : forall u v x y, adj x y = true -> plus adj u v x y = true) by (intros u v x y H; unfold plus; rewrite H; auto).
      assert (STEP : forall u v, In u V -> In v V -> u <> v -> adj u v = false ->
        (exists p, matching (plus adj u v) V p) \/ barrier (plus adj u v) V).
      { intros u v Hu Hv NE A. eapply IH; [| | | reflexivity].
        - rewrite En. apply (filter_length_lt _ _ _ (u, v)); cbn.
          + intros [x y] _. cbn. rewrite !negb_true_iff. intros H. destruct (adj x y) eqn:E; auto. rewrite (MON u v x y E) in H. discriminate.
          + apply in_prod; auto.
          + unfold plus, same. destruct (eq_dec u u); [| congruence]. destruct (eq_dec v v); [| congruence]. now rewrite orb_true_r.
          + now rewrite A.
        - intros x y. unfold plus. rewrite sym. destruct (adj y x); cbn; auto.
          rewrite (andb_comm (same x u)), (andb_comm (same x v)). apply orb_comm.
        - intros x. unfold plus. rewrite irr. unfold same. destruct (eq_dec x u), (eq_dec x v); cbn; congruence. }
      destruct (STEP a c) as [(p1 & M1) | B1]; auto; [| right; exact (barrier_monotone _ _ _ (MON a c) B1)].
      destruct (STEP b d) as [(p2 & M2) | B2]; auto; [| right; exact (barrier_monotone _ _ _ (MON b d) B2)].
      left. eapply (combine_matchings adj V a b c d); eauto.
    - set (S0 := filter (fun v => forallb (fun x => same x v || adj v x) V) V).
      apply (final adj sym irr V S0); auto.
      + now apply NoDup_filter.
      + intros x Hx. now apply filter_In in Hx.
      + intros s x Hs Hx NE. apply filter_In in Hs as [_ Hs]. rewrite forallb_forall in Hs. specialize (Hs x Hx).
        rewrite orb_true_iff, same_spec in Hs. destruct Hs; congruence.
      + intros x y z Hx Hy Hz Sy Axy Ayz Nxz. destruct (adj x z) eqn:A; auto. exfalso.
        assert (D : exists d, In d V /\ y <> d /\ adj y d = false).
        { destruct (forallb (fun x => same x y || adj y x) V) eqn:F.
          - exfalso. apply Sy, filter_In. auto.
          - assert (G : forall L, forallb (fun x => same x y || adj y x) L = false -> exists d, In d L /\ same d y || adj y d = false).
            { induction L as [|w L IHL]; cbn; [discriminate |]. intros H. apply andb_false_iff in H as [H | H].
              - exists w. auto. - destruct (IHL H) as (d & ? & ?). exists d. auto. }
            destruct (G V F) as (d & Hd & E). apply orb_false_iff in E as [E1 E2]. exists d. repeat split; auto.
            intros ->. assert (same d d = true) by now apply same_spec. congruence. }
        destruct D as (d & Hd & Nyd & Ad). rewrite <- not_true_iff_false in EB. apply EB.
        apply existsb_exists. exists x. split; auto. apply existsb_exists. exists y. split; auto.
        apply existsb_exists. exists z. split; auto. apply existsb_exists. exists d. split; auto.
        unfold bad. rewrite Axy, Ayz, A, Ad. unfold same. destruct (eq_dec x z); [congruence |]. destruct (eq_dec y d); [congruence |]. reflexivity.
  Qed.
End Tutte.

(* ---- The theorem, in terms that need nothing of the above ---------------------------------------------------------- *)

(* p assigns every vertex a partner that is adjacent to it. *)
Definition perfect_matching {X : Type} (adj : X -> X -> bool) (V : list X) (p : X -> X) : Prop :=
  forall x, In x V -> In (p x) V /\ p x <> x /\ p (p x) = x /\ adj x (p x) = true.

(* "class" lists, each once, the vertices outside S of color k. *)
Definition color_class {X : Type} (V S : list X) (c : X -> X) (k : X) (class : list X) : Prop :=
  NoDup class /\ forall x, In x class <-> In x V /\ ~ In x S /\ c x = k.

Theorem tutte :
  forall (X : Type) (eq_dec : forall x y : X, {x = y} + {x <> y}) (adj : X -> X -> bool) (V : list X),
  NoDup V -> (forall x y, adj x y = adj y x) -> (forall x, adj x x = false) -> Nat.Even (length V) ->
  (exists p, perfect_matching adj V p) \/
  exists S c K, NoDup S /\ incl S V /\ NoDup K /\ length S + 2 <= length K /\
    (forall x y, In x V -> In y V -> ~ In x S -> ~ In y S -> adj x y = true -> c x = c y) /\
    (forall k, In k K -> exists odd, color_class V S c k odd /\ Nat.Odd (length odd)).
Proof.
  intros X eq_dec adj V ND sym irr even.
  destruct (matching_or_barrier X eq_dec adj V ND sym irr even) as [H | (S & c & K & NS & IS & NK & L & E & O)]; auto.
  right. exists S, c, K. do 5 (split; auto). intros k Hk. exists (class X eq_dec V S c k). split; auto. split.
  - now do 2 apply NoDup_filter.
  - intros x. unfold class. rewrite !filter_In, negb_true_iff, same_spec, <- not_true_iff_false, within_spec. tauto.
Qed.
