(* PairsLeftOver: Lemma 2 (chapter "The conjecture is true").

   In words: divide the sets of j among m >= 2 j examples into pairs in any way; one set may be left out. The paired
   sets and all sets of j - 1 examples have a perfect matching in which each set is matched with its partner or with a
   set that contains it or that it contains. If the number of sets of j - 1 examples is odd, there is one
   extra vertex, which may be matched with any paired set. *)

From Coq Require Import List Arith Lia Permutation Bool.
From Treebounds Require Import Definitions Counting Chains Sets Tutte Levels.
Import ListNotations.

Notation ends := (ends (list bool)).
Notation within := (within (list bool) vertex_dec).
Notation same := (same (list bool) vertex_dec).

Lemma length_filter_or {X} (p : X -> bool) L : length (filter p L) <= length L.
Proof. apply filter_short. Qed.

Lemma total_at_most_one {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (x : X) K :
  NoDup K -> total (fun k => if eq_dec x k then 1 else 0) K <= 1.
Proof.
  induction K as [|k K IH]; intros ND; cbn; auto. apply NoDup_cons_iff in ND as [Hk ND]. specialize (IH ND).
  destruct (eq_dec x k) as [-> |]; [| lia].
  assert (E : total (fun k0 => if eq_dec k k0 then 1 else 0) K = 0); [| lia].
  clear - Hk. induction K as [|q K IH]; auto. cbn. destruct (eq_dec k q) as [-> |]; [exfalso; apply Hk; cbn; auto |].
  apply IH. intros H. apply Hk. cbn. auto.
Qed.

Section LemmaTwo.
  Variables m j : nat.
  Hypothesis j_large : 2 <= j.
  Hypothesis j_small : 2 * j <= m.
  Variable Q : list (list bool * list bool).
  Variable extra : list (list bool).
  Hypothesis paired : Permutation (ends Q ++ extra) (ksets m j).
  Hypothesis one_extra : length extra <= 1.

  Let U := ksets m (j - 1).
  Let W := ksets m j.
  Let D := m - j + 1.

  Definition star : list (list bool) := if Nat.even (length U) then [] else [[]].

  Definition vertices : list (list bool) := ends Q ++ U ++ star.

  Definition edges : list (list bool * list bool) := inclusions m j ++ Q ++ flat_map (fun s => map (fun w => (s, w)) (ends Q)) star.

  Definition edge (x y : list bool) : bool := existsb (fun e => same x (fst e) && same y (snd e)) edges.

  Definition adjacent (x y : list bool) : bool := negb (same x y) && (edge x y || edge y x).

  Lemma edge_spec x y : edge x y = true <-> In (x, y) edges.
  Proof.
    unfold edge. rewrite existsb_exists. split.
    - intros ([a b] & He & H). cbn in H. rewrite andb_true_iff, !same_spec in H. destruct H as [-> ->]. exact He.
    - intros H. exists (x, y). split; auto. cbn. rewrite andb_true_iff, !same_spec. auto.
  Qed.

  Lemma adjacent_symmetric x y : adjacent x y = adjacent y x.
  Proof.
    unfold adjacent. rewrite orb_comm. f_equal. f_equal. unfold Tutte.same. destruct (vertex_dec x y), (vertex_dec y x); congruence.
  Qed.

  Lemma adjacent_irreflexive x : adjacent x x = false.
  Proof. unfold adjacent. assert (E : same x x = true) by now apply same_spec. rewrite E. reflexivity. Qed.

  Lemma adjacent_edge x y : In (x, y) edges -> x <> y -> adjacent x y = true.
  Proof.
    intros H NE. unfold adjacent. apply edge_spec in H. rewrite H. cbn. rewrite andb_true_r, negb_true_iff.
    destruct (same x y) eqn:E; auto. apply same_spec in E. contradiction.
  Qed.

  Lemma in_W w : In w (ends Q) -> In w W.
  Proof. intros H. apply (Permutation_in w paired), in_app_iff. auto. Qed.

  Lemma W_facts w : In w W -> length w = m /\ size w = j.
  Proof. apply ksets_spec. Qed.

  Lemma U_facts u : In u U -> length u = m /\ size u = j - 1.
  Proof. apply ksets_spec. Qed.

  Lemma paired_NoDup : NoDup (ends Q).
  Proof.
    assert (H : NoDup (ends Q ++ extra)) by (eapply Permutation_NoDup; [symmetry; exact paired | apply ksets_NoDup]).
    now apply NoDup_app_parts in H.
  Qed.

  Lemma star_spec s : In s star -> s = [] /\ star = [[]] /\ Nat.even (length U) = false.
  Proof. unfold star. destruct (Nat.even (length U)); cbn; [easy |]. intros [<- | []]. auto. Qed.

  Lemma vertices_NoDup : NoDup vertices.
  Proof.
    unfold vertices. apply NoDup_app_parts. split; [apply paired_NoDup | split].
    - apply NoDup_app_parts. split; [apply ksets_NoDup | split].
      + unfold star. destruct (Nat.even (length U)); repeat constructor. auto.
      + intros u Hu Hs. apply star_spec in Hs as [-> _]. apply U_facts in Hu as [L _]. cbn in L. lia.
    - intros w Hw H. apply in_W, W_facts in Hw as [L S]. apply in_app_iff in H as [H | H].
      + apply U_facts in H as [_ S']. lia.
      + apply star_spec in H as [-> _]. cbn in L. lia.
  Qed.

  Lemma ends_length : length (ends Q) = 2 * length Q.
  Proof. clear paired. induction Q as [|[a b] L IH]; cbn; auto. fold (ends L). lia. Qed.

  Lemma vertices_even : Nat.Even (length vertices).
  Proof.
    unfold vertices. rewrite !app_length, ends_length. unfold star. destruct (Nat.even (length U)) eqn:E.
    - apply Nat.even_spec in E as (k & ->). exists (length Q + k). cbn. lia.
    - assert (O : Nat.odd (length U) = true) by (unfold Nat.odd; now rewrite E). apply Nat.odd_spec in O as (k & ->).
      exists (length Q + k + 1). cbn. lia.
  Qed.

  (* ---- No barrier ----------------------------------------------------------------------------------------------------- *)

  Section NoBarrier.
    Variable S : list (list bool).
    Variable c : list bool -> (list bool).
    Variable K : list (list bool).
    Hypothesis NDS : NoDup S.
    Hypothesis SV : incl S vertices.
    Hypothesis NDK : NoDup K.
    Hypothesis many : length S + 2 <= length K.
    Hypothesis compatible : forall x y, In x vertices -> In y vertices -> ~ In x S -> ~ In y S -> adjacent x y = true -> c x = c y.
    Hypothesis odd : forall k, In k K -> Nat.Odd (length (class (list bool) vertex_dec vertices S c k)).

    Definition good (x : list bool) : bool := within x vertices && negb (within x S).
    Definition bad (x : list bool) : nat := if good x then 0 else 1.
    Definition in_class (k x : list bool) : bool := good x && same (c x) k.

    Lemma good_spec x : good x = true <-> In x vertices /\ ~ In x S.
    Proof.
      unfold good. rewrite andb_true_iff, negb_true_iff, within_spec. rewrite <- (within_spec (list bool) vertex_dec x S).
      destruct (within x S); intuition congruence.
    Qed.

    Lemma class_length k : length (class (list bool) vertex_dec vertices S c k) =
      length (filter (in_class k) (ends Q)) + length (filter (in_class k) U) + length (filter (in_class k) star).
    Proof.
      rewrite <- Nat.add_assoc, <- !app_length, <- !filter_app. fold vertices. unfold class. f_equal.
      transitivity (filter (fun x => negb (within x S) && same (c x) k) vertices).
      - generalize vertices. intros L. induction L as [|x L IH]; auto. cbn [filter].
        destruct (within x S); cbn [negb andb filter]; rewrite IH; reflexivity.
      - apply filter_ext_in. intros x Hx. unfold in_class, good. apply (within_spec (list bool) vertex_dec) in Hx. now rewrite Hx.
    Qed.

    Definition splits (k : list bool) : nat := length (filter (fun e => xorb (in_class k (fst e)) (in_class k (snd e))) Q).

    (* The weight of the edges that leave an odd class. *)
    Lemma odd_class_weight k : In k K -> in_class k [] = false -> (star <> [] -> exists u, In u U /\ in_class k u = false) ->
      D <= leaving m j (in_class k) + (D - j) * splits k.
    Proof.
      intros Hk Hs Hu. destruct (Nat.eq_dec (splits k) 0) as [E | E].
      - assert (EV : Nat.Even (length (filter (in_class k) (ends Q)))).
        { apply (even_filter_ends (list bool)). intros e He. destruct (in_class k (fst e)) eqn:E1, (in_class k (snd e)) eqn:E2; auto; exfalso.
          all: unfold splits in E; apply length_zero_iff_nil in E.
          all: assert (I : In e (filter (fun e => xorb (in_class k (fst e)) (in_class k (snd e))) Q)) by (apply filter_In; rewrite E1, E2; auto).
          all: rewrite E in I; destruct I. }
        assert (ES : filter (in_class k) star = []).
        { unfold star. destruct (Nat.even (length U)); cbn; auto. now rewrite Hs. }
        pose proof (odd k Hk) as O. rewrite class_length, ES in O. destruct EV as (p & EV), O as (q & O). cbn [length] in O.
        assert (OU : Nat.Odd (length (filter (in_class k) U))) by (exists (q - p); lia).
        assert (X : exists u, In u U /\ in_class k u = true).
        { destruct (filter (in_class k) U) as [|u L] eqn:EF; [destruct OU as (r & OU); cbn in OU; lia |].
          exists u. apply filter_In. rewrite EF. cbn. auto. }
        assert (Y : exists u, In u U /\ in_class k u = false).
        { destruct (Nat.even (length U)) eqn:EU.
          - destruct (existsb (fun u => negb (in_class k u)) U) eqn:EX.
            + apply existsb_exists in EX as (u & Hu1 & Hu2). exists u. now rewrite negb_true_iff in Hu2.
            + exfalso. assert (EF : filter (in_class k) U = U).
              { clear - EX. induction U as [|u L IH]; auto. cbn in *. apply orb_false_iff in EX as [E1 E2].
                apply negb_false_iff in E1. rewrite E1. f_equal. auto. }
              rewrite EF in OU. apply Nat.even_spec in EU as (a & EU). destruct OU as (b & OU). lia.
          - apply Hu. unfold star. rewrite EU. discriminate. }
        destruct X as (u & X1 & X2), Y as (v & Y1 & Y2).
        pose proof (leaving_lower m j j_large j_small (in_class k) u v X1 Y1 X2 Y2). unfold D. lia.
      - assert (I : exists e, In e Q /\ xorb (in_class k (fst e)) (in_class k (snd e)) = true).
        { unfold splits in E. destruct (filter _ Q) as [|e L] eqn:EF in E; [cbn in E; lia |].
          exists e. apply (filter_In (fun e => xorb (in_class k (fst e)) (in_class k (snd e)))). rewrite EF. cbn. auto. }
        destruct I as ([x y] & He & X). cbn [fst snd] in X.
        assert (Ix : In x (U ++ W) /\ In y (U ++ W)).
        { split; apply in_app_iff; right; apply in_W; unfold Tutte.ends; apply in_flat_map; exists (x, y); cbn; auto. }
        destruct Ix as [Ix Iy].
        assert (L : j <= leaving m j (in_class k)).
        { destruct (in_class k x) eqn:E1, (in_class k y) eqn:E2; cbn in X; try discriminate.
          - apply (leaving_any m j j_large j_small (in_class k) x y); auto.
          - apply (leaving_any m j j_large j_small (in_class k) y x); auto. }
        assert (j < D) by (unfold D; lia). nia.
    Qed.

    (* An edge leaves at most as many classes as it has ends in S (or left out). *)
    Lemma edge_classes L K' : NoDup K' -> incl L edges -> (forall e, In e L -> fst e <> snd e) ->
      total (fun k => length (filter (fun e => xorb (in_class k (fst e)) (in_class k (snd e))) L)) K'
        <= total (fun e => bad (fst e) + bad (snd e)) L.
    Proof.
      intros ND HL NE.
      rewrite (total_ext _ (fun k => total (fun e => if xorb (in_class k (fst e)) (in_class k (snd e)) then 1 else 0) L)).
      2:{ intros k _. symmetry. apply total_filter. }
      rewrite total_swap. apply total_le. intros [x y] He. cbn [fst snd].
      unfold bad, in_class. destruct (good x) eqn:Gx, (good y) eqn:Gy; cbn [andb xorb].
      - apply good_spec in Gx as [Vx Sx], Gy as [Vy Sy].
        assert (E : c x = c y) by (apply compatible; auto; apply adjacent_edge; [apply HL; auto | apply (NE _ He)]).
        rewrite E. rewrite (total_ext _ (fun _ => 0)), total_const; [lia |]. intros k _. now destruct (same (c y) k).
      - rewrite (total_ext _ (fun k => if vertex_dec (c x) k then 1 else 0)); [apply total_at_most_one; auto |].
        intros k _. unfold Tutte.same. destruct (vertex_dec (c x) k); reflexivity.
      - rewrite (total_ext _ (fun k => if vertex_dec (c y) k then 1 else 0)); [apply total_at_most_one; auto |].
        intros k _. unfold Tutte.same. destruct (vertex_dec (c y) k); reflexivity.
      - rewrite total_const. lia.
    Qed.

    Lemma inclusion_ends e : In e (inclusions m j) -> In (fst e) U /\ In (snd e) W.
    Proof.
      destruct e as [u w]. intros H. cbn. split; [now apply inclusions_spec in H |]. eapply inclusion_in_W; eauto.
    Qed.

    Definition SU := filter (fun x => within x S) U.
    Definition SW := filter (fun x => within x S) (ends Q).

    Lemma parts_of_S : length SU + length SW + (if in_dec vertex_dec [] S then 1 else 0) <= length S.
    Proof.
      assert (ND : NoDup (SU ++ SW ++ (if in_dec vertex_dec [] S then [[]] else []))).
      { apply NoDup_app_parts. split; [apply NoDup_filter, ksets_NoDup | split].
        - apply NoDup_app_parts. split; [apply NoDup_filter, paired_NoDup | split].
          + destruct (in_dec vertex_dec [] S); repeat constructor. auto.
          + intros x Hx H. apply filter_In in Hx as [Hx _]. apply in_W, W_facts in Hx as [L _].
            destruct (in_dec vertex_dec [] S); [| destruct H]. destruct H as [<- | []]. cbn in L. lia.
        - intros x Hx H. apply filter_In in Hx as [Hx _]. apply U_facts in Hx as [L Z]. apply in_app_iff in H as [H | H].
          + apply filter_In in H as [H _]. apply in_W, W_facts in H as [_ Z']. lia.
          + destruct (in_dec vertex_dec [] S); [| destruct H]. destruct H as [<- | []]. cbn in L. lia. }
      apply NoDup_incl_length with (l' := S) in ND.
      - rewrite !app_length in ND. destruct (in_dec vertex_dec [] S); cbn [length] in ND; lia.
      - intros x Hx. rewrite !in_app_iff in Hx. destruct Hx as [Hx | [Hx | Hx]].
        1, 2: apply filter_In in Hx as [_ Hx]; now apply within_spec in Hx.
        destruct (in_dec vertex_dec [] S); [| destruct Hx]. destruct Hx as [<- | []]. auto.
    Qed.

    Lemma total_bad L : incl L vertices -> total bad L = length (filter (fun x => within x S) L).
    Proof.
      intros H. rewrite <- total_filter. apply total_ext. intros x Hx. unfold bad, good.
      specialize (H x Hx). apply (within_spec (list bool) vertex_dec) in H. rewrite H. cbn. destruct (within x S); reflexivity.
    Qed.

    Lemma U_vertices : incl U vertices.
    Proof. intros x Hx. unfold vertices. rewrite !in_app_iff. auto. Qed.

    Lemma Q_vertices : incl (ends Q) vertices.
    Proof. intros x Hx. unfold vertices. rewrite !in_app_iff. auto. Qed.

    Lemma bad_W : total bad W <= length SW + 1.
    Proof.
      rewrite <- (total_permutation _ _ _ paired), total_app, (total_bad _ Q_vertices). fold SW.
      assert (total bad extra <= length extra); [| lia].
      clear. induction extra as [|x L IH]; cbn; auto. unfold bad at 1. destruct (good x); lia.
    Qed.

    Lemma bad_Q : total (fun e => bad (fst e) + bad (snd e)) Q = length SW.
    Proof.
      rewrite <- (total_bad _ Q_vertices : total bad (ends Q) = length SW).
      clear. induction Q as [|[x y] L IH]; cbn; auto. fold (ends L). rewrite IH. lia.
    Qed.

    Lemma total_weight K' : NoDup K' ->
      total (fun k => leaving m j (in_class k) + (D - j) * splits k) K' <= D * (length SU + length SW) + j.
    Proof.
      intros ND. rewrite total_add, total_mul.
      assert (H1 : total (fun k => leaving m j (in_class k)) K' <= D * length SU + j * (length SW + 1)).
      { etransitivity; [apply (edge_classes (inclusions m j) K' ND) |].
        - intros e He. unfold edges. apply in_app_iff. auto.
        - intros e He E. apply inclusion_ends in He as [H1 H2]. apply U_facts in H1 as [_ S1]. apply W_facts in H2 as [_ S2].
          rewrite E in S1. lia.
        - rewrite total_add, (total_lower m j j_large j_small bad), (total_upper m j j_large j_small bad).
          fold U W. rewrite (total_bad _ U_vertices). fold SU. pose proof bad_W. fold D. nia. }
      assert (H2 : total splits K' <= length SW).
      { rewrite <- bad_Q. apply (edge_classes Q K' ND).
        - intros e He. unfold edges. rewrite !in_app_iff. auto.
        - intros [x y] He E. cbn in E. subst y. pose proof paired_NoDup as NQ. apply in_split in He as (A & B & EQ).
          rewrite EQ in NQ. unfold Tutte.ends in NQ. rewrite flat_map_app in NQ. apply NoDup_app_parts in NQ as (_ & NQ & _).
          cbn in NQ. apply NoDup_cons_iff in NQ as [NQ _]. apply NQ. cbn. auto. }
      assert (j <= D) by (unfold D; lia). nia.
    Qed.

    Lemma few_removed k K' : K' = filter (fun x => negb (same x k)) K -> NoDup K' /\ length K <= length K' + 1 /\
      forall x, In x K' -> In x K /\ x <> k.
    Proof.
      intros ->. split; [now apply NoDup_filter |]. split.
      - clear - NDK. induction K as [|x L IH]; cbn; [lia |]. apply NoDup_cons_iff in NDK as [Hx ND].
        destruct (same x k) eqn:E; cbn; [| specialize (IH ND); lia]. apply same_spec in E. subst x.
        assert (EF : filter (fun x => negb (same x k)) L = L); [| rewrite EF; lia].
        clear - Hx. induction L as [|y L IH]; auto. cbn. destruct (same y k) eqn:E.
        + apply same_spec in E. subst. exfalso. apply Hx. cbn. auto.
        + cbn. f_equal. apply IH. intros H. apply Hx. cbn. auto.
      - intros x Hx. apply filter_In in Hx as [Hx E]. split; auto. intros ->. apply negb_true_iff in E.
        assert (same k k = true) by now apply same_spec. congruence.
    Qed.

    Lemma weight_bound K' : (forall k, In k K' -> D <= leaving m j (in_class k) + (D - j) * splits k) -> NoDup K' ->
      D * length K' <= D * (length SU + length SW) + j.
    Proof.
      intros H ND. rewrite <- total_weight by exact ND. rewrite Nat.mul_comm, <- total_const. now apply total_le.
    Qed.

    Lemma no_barrier : False.
    Proof.
      assert (jD : j < D) by (unfold D; lia).
      pose proof parts_of_S as HS. destruct (in_dec vertex_dec [] star) as [I | I].
      2:{ (* The number of sets below is even. *)
        assert (ES : star = []). { unfold star in *. destruct (Nat.even (length U)); auto. exfalso. apply I. cbn. auto. }
        assert (B : D * length K <= D * (length SU + length SW) + j).
        { apply weight_bound; auto. intros k Hk. apply odd_class_weight; auto; [| congruence].
          unfold in_class. destruct (good []) eqn:G; auto. apply good_spec in G as [G _]. exfalso. unfold vertices in G. rewrite ES in G.
          rewrite !in_app_iff in G. destruct G as [G | [G | []]].
          - apply in_W, W_facts in G as [L _]. cbn in L. lia.
          - apply U_facts in G as [L _]. cbn in L. lia. }
        destruct (in_dec vertex_dec [] S); nia. }
      destruct (star_spec [] I) as (_ & Est & _).
      destruct (in_dec vertex_dec [] S) as [IS | IS].
      - destruct (U_nonempty m j) as (u0 & Hu0); auto.
        destruct (few_removed (c u0) _ eq_refl) as (ND & HK & HK').
        set (K' := filter (fun x => negb (same x (c u0))) K) in *.
        assert (B : D * length K' <= D * (length SU + length SW) + j).
        { apply weight_bound; auto. intros k Hk. apply odd_class_weight.
          - now apply HK'.
          - unfold in_class. destruct (good []) eqn:G; auto. apply good_spec in G as [_ G]. contradiction.
          - intros _. exists u0. split; auto. unfold in_class. destruct (same (c u0) k) eqn:E; [| now rewrite andb_false_r].
            apply same_spec in E. apply HK' in Hk as [_ Hk]. congruence. }
        nia.
      - destruct (few_removed (c []) _ eq_refl) as (ND & HK & HK').
        set (K' := filter (fun x => negb (same x (c []))) K) in *.
        assert (Vs : In [] vertices) by (unfold vertices; rewrite !in_app_iff; auto).
        (* Every paired set outside S has the color of the extra vertex. *)
        assert (CW : forall w, In w (ends Q) -> ~ In w S -> c w = c []).
        { intros w Hw Sw. symmetry. apply compatible; auto. { now apply Q_vertices. }
          apply adjacent_edge.
          - unfold edges. rewrite !in_app_iff. right. right. rewrite Est. cbn. rewrite app_nil_r. now apply in_map.
          - intros <-. apply in_W, W_facts in Hw as [L _]. cbn in L. lia. }
        assert (B : D * length K' <= j * (length SW + 1)).
        { transitivity (total (fun k => total (fun e => if in_class k (fst e) then 1 else 0) (inclusions m j)) K').
          - rewrite Nat.mul_comm, <- total_const. apply total_le. intros k Hk. destruct (HK' k Hk) as [Hk1 Hk2].
            rewrite (total_lower m j j_large j_small (fun x => if in_class k x then 1 else 0)). fold U D.
            assert (X : exists u, In u U /\ in_class k u = true).
            { pose proof (odd k Hk1) as O. rewrite class_length in O.
              assert (E1 : filter (in_class k) (ends Q) = []).
              { destruct (filter (in_class k) (ends Q)) as [|w L] eqn:EF; auto. exfalso.
                assert (Hw : In w (filter (in_class k) (ends Q))) by (rewrite EF; cbn; auto).
                apply filter_In in Hw as [Hw C]. unfold in_class in C. apply andb_true_iff in C as [G C]. apply same_spec in C.
                apply good_spec in G as [_ G]. rewrite (CW w Hw G) in C. congruence. }
              assert (E2 : filter (in_class k) star = []).
              { rewrite Est. cbn. unfold in_class. destruct (same (c []) k) eqn:E; [| now rewrite andb_false_r].
                apply same_spec in E. congruence. }
              rewrite E1, E2 in O. destruct (filter (in_class k) U) as [|u L] eqn:EF; [destruct O as (r & O); cbn in O; lia |].
              exists u. apply filter_In. rewrite EF. cbn. auto. }
            destruct X as (u & Hu & C). pose proof (total_positive (fun x => if in_class k x then 1 else 0) U u Hu) as P.
            cbn in P. rewrite C in P. nia.
          - rewrite total_swap. transitivity (total (fun e => bad (snd e)) (inclusions m j)).
            + apply total_le. intros [u w] He. cbn [fst snd]. unfold bad. destruct (good w) eqn:Gw.
              * rewrite (total_ext _ (fun _ => 0)), total_const; [lia |]. intros k Hk. destruct (HK' k Hk) as [_ Hk2].
                unfold in_class. destruct (good u) eqn:Gu; auto. cbn. destruct (same (c u) k) eqn:E; auto. exfalso.
                apply same_spec in E. pose proof (inclusion_ends _ He) as [HuU HwW]. cbn in HuU, HwW.
                apply good_spec in Gw as [Vw Sw], Gu as [Vu Su].
                assert (Hw : In w (ends Q)).
                { unfold vertices in Vw. rewrite !in_app_iff in Vw. destruct Vw as [Vw | [Vw | Vw]]; auto.
                  - apply U_facts in Vw as [_ Z]. apply W_facts in HwW as [_ Z']. lia.
                  - apply star_spec in Vw as [-> _]. apply W_facts in HwW as [Z _]. cbn in Z. lia. }
                apply Hk2. rewrite <- E, <- (CW w Hw Sw). apply compatible; auto. apply adjacent_edge.
                -- unfold edges. apply in_app_iff. auto.
                -- intros ->. apply U_facts in HuU as [_ Z]. apply W_facts in HwW as [_ Z']. lia.
              * transitivity (total (fun k => if vertex_dec (c u) k then 1 else 0) K'); [| now apply total_at_most_one].
                apply total_le. intros k _. unfold in_class, Tutte.same. destruct (good u), (vertex_dec (c u) k); cbn; lia.
            + rewrite (total_upper m j j_large j_small bad). fold W. pose proof bad_W. nia. }
        nia.
    Qed.
  End NoBarrier.

  Lemma pairs_left_over : exists p, matching (list bool) adjacent vertices p.
  Proof.
    destruct (matching_or_barrier (list bool) vertex_dec adjacent vertices vertices_NoDup adjacent_symmetric adjacent_irreflexive vertices_even) as [H | H]; auto.
    exfalso. destruct H as (S & c & K & H1 & H2 & H3 & H4 & H5 & H6). eapply (no_barrier S c K); eassumption.
  Qed.
End LemmaTwo.
