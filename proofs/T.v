(* Tutte's theorem on perfect matchings, in the form that the stump theorem needs (MATH.md 1.1; chapter "Stumps").

   In words: a finite graph with an even number of vertices has a perfect matching, or there are a set S of vertices and a
   colouring of the others such that adjacent ones have the same colour and at least |S| + 2 colours have an odd class.
   (The classes are unions of components; Tutte's condition in the usual form follows.) The proof is Lovasz's. *)

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
          - destruct s. { change (it 0) with d in E. apply Hy. assert (y = b); [| now subst]. congruence. }
            apply Hy, segment_spec. exists s. split; [lia |]. right. rewrite <- p2_it, <- E. congruence.
          - assert (EY : y = it (S s)). { change (it (S s)) with (p2 (p1 (it s))). rewrite <- E. congruence. }
            destruct (Nat.eq_dec s t) as [-> | NE].
            + apply Hy. assert (y = d); [| now subst]. rewrite EY. change (it (S t)) with (p2 (p1 (it t))). now rewrite EB.
            + apply Hy, segment_spec. exists (S s). split; [lia | auto]. }
