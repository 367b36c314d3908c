(* NestedList: one list of features that attains the stump bound for every number of features. This proves the
   conjecture of Leboeuf, LeBlanc and Marchand (2020; chapter "The conjecture is true").

   In words: let m >= 2 and h = floor(m / 2). There is a list of features, each given by two ascending lists of sets,
   its lower and its upper sets, such that lower sets are disjoint from upper sets. For each k = 1, ..., h, each
   feature in an initial part of the list has exactly two sets of k examples (its "k-feet"), and together these are
   all sets of k examples, each once. If the number of these sets is odd, one is missing, and the next feature has it. *)

From Coq Require Import List Arith Lia Permutation Sorted Bool.
From Treebounds Require Import Definitions Counting Chains Sets Tutte Levels PairsLeftOver.
Import ListNotations.

Definition disjoint (A B : list bool) : Prop := forall e, has A e = true -> has B e = false.

(* ---- The result of one matching ------------------------------------------------------------------------------------------ *)

Notation partner := (partner (list bool) vertex_dec).

Lemma partner_of Q a b : NoDup (ends Q) -> In (a, b) Q -> partner Q a = b /\ partner Q b = a.
Proof.
  induction Q as [|[x y] Q IH]; intros ND H; [destruct H |]. cbn [Tutte.ends flat_map fst snd app] in ND. fold (ends Q) in ND.
  apply NoDup_cons_iff in ND as [Hx ND]. apply NoDup_cons_iff in ND as [Hy ND]. cbn [Tutte.partner]. unfold Tutte.same.
  destruct H as [[= -> ->] | H].
  - destruct (vertex_dec a a) as [_ |]; [| congruence]. split; auto.
    destruct (vertex_dec b a) as [E |]; [exfalso; apply Hx; cbn; auto |]. destruct (vertex_dec b b); congruence.
  - assert (Ia : In a (ends Q) /\ In b (ends Q)).
    { unfold Tutte.ends. rewrite !in_flat_map. split; exists (a, b); cbn; auto. }
    destruct Ia as [Ia Ib].
    destruct (vertex_dec a x) as [-> |]; [exfalso; apply Hx; cbn; auto |]. destruct (vertex_dec a y) as [-> |]; [contradiction |].
    destruct (vertex_dec b x) as [-> |]; [exfalso; apply Hx; cbn; auto |]. destruct (vertex_dec b y) as [-> |]; [contradiction |].
    now apply IH.
Qed.

Section Step.
  Variables m j : nat.
  Hypothesis j_large : 2 <= j.
  Hypothesis j_small : 2 * j <= m.
  Variable Q : list (list bool * list bool).
  Variable extra : list (list bool).
  Hypothesis paired : Permutation (ends Q ++ extra) (ksets m j).
  Hypothesis one_extra : length extra <= 1.
  Variable p : list bool -> (list bool).
  Hypothesis HP : matching (list bool) (adjacent m j Q) (vertices m j Q) p.

  Let U := ksets m (j - 1).

  Definition continues (e : (list bool) * (list bool)) : bool := negb (same (p (fst e)) (snd e)).

  Lemma Q_in_V w : In w (ends Q) -> In w (vertices m j Q).
  Proof. intros H. unfold vertices. rewrite !in_app_iff. auto. Qed.

  Lemma ends_size w : In w (ends Q) -> length w = m /\ size w = j.
  Proof. intros H. apply ksets_spec, (Permutation_in w paired), in_app_iff. auto. Qed.

  Lemma Q_NoDup : NoDup (ends Q).
  Proof. eapply paired_NoDup. exact paired. Qed.

  Lemma star_empty s : In s (star m j) -> s = [].
  Proof. intros H. now apply star_spec in H. Qed.

  (* The partner of a paired set: the other set of its pair, or a set below it. *)
  Lemma partner_cases w : In w (ends Q) -> p w = partner Q w \/ (In (p w) U /\ In (p w, w) (inclusions m j)) \/ In (p w) (star m j).
  Proof.
    intros Hw. destruct (HP w (Q_in_V w Hw)) as (_ & _ & _ & HA). pose proof (ends_size w Hw) as [Lw Sw].
    unfold adjacent in HA. apply andb_true_iff in HA as [_ HA]. rewrite orb_true_iff, !edge_spec in HA.
    unfold edges in HA. rewrite !in_app_iff in HA. destruct HA as [[H | [H | H]] | [H | [H | H]]].
    - apply inclusions_spec in H as [H _]; try lia. apply ksets_spec in H as [_ H]. lia.
    - left. symmetry. now apply (partner_of Q w (p w) Q_NoDup).
    - apply in_flat_map in H as (s & Hs & H). apply in_map_iff in H as (? & [= E _] & _). apply star_empty in Hs. exfalso.
      assert (Z : w = []) by congruence. rewrite Z in Lw. cbn in Lw. lia.
    - right. left. split; auto. apply inclusions_spec in H as [H _]; auto; lia.
    - left. symmetry. now apply (partner_of Q (p w) w Q_NoDup).
    - right. right. apply in_flat_map in H as (s & Hs & H). apply in_map_iff in H as (? & [= E _] & _). congruence.
  Qed.

  Lemma pair_cases a b : In (a, b) Q -> (p a = b /\ p b = a) \/
    (p a <> b /\ (In (p a) U /\ In (p a, a) (inclusions m j) \/ In (p a) (star m j))
             /\ (In (p b) U /\ In (p b, b) (inclusions m j) \/ In (p b) (star m j))).
  Proof.
    intros H. destruct (partner_of Q a b Q_NoDup H) as [Ea Eb].
    assert (I : In a (ends Q) /\ In b (ends Q)) by (unfold Tutte.ends; rewrite !in_flat_map; split; exists (a, b); cbn; auto).
    destruct I as [Ia Ib]. pose proof (HP a (Q_in_V a Ia)) as (_ & _ & Pa & _). pose proof (HP b (Q_in_V b Ib)) as (_ & _ & Pb & _).
    destruct (vertex_dec (p a) b) as [E | NE]; [left; split; auto; now rewrite <- E |]. right. split; auto.
    destruct (partner_cases a Ia) as [E | Ca]; [rewrite Ea in E; contradiction |].
    destruct (partner_cases b Ib) as [E | Cb]; [rewrite Eb in E; exfalso; apply NE; rewrite <- E; exact Pb |]. auto.
  Qed.

  Lemma ends_filter (q : (list bool) * (list bool) -> bool) w : In w (ends (filter q Q)) -> In w (ends Q).
  Proof. unfold Tutte.ends. rewrite !in_flat_map. intros (e & He & H). apply filter_In in He as [He _]. eauto. Qed.

  Lemma lower_all : Permutation (map p (ends (filter continues Q))) (U ++ star m j).
  Proof.
    pose proof (vertices_NoDup m j ltac:(lia) ltac:(lia) Q extra paired one_extra) as NV. unfold vertices in NV.
    apply NoDup_Permutation.
    - apply NoDup_map_injective.
      + pose proof Q_NoDup as NQ. clear - NQ. induction Q as [|[x y] L IH]; [constructor |]. cbn [Tutte.ends flat_map fst snd app] in NQ. fold (ends L) in NQ.
        apply NoDup_cons_iff in NQ as [Hx NQ]. apply NoDup_cons_iff in NQ as [Hy NQ]. cbn [filter].
        assert (S : forall w, In w (ends (filter continues L)) -> In w (ends L)).
        { unfold Tutte.ends. intros w. rewrite !in_flat_map. intros (e & He & H). apply filter_In in He as [He _]. eauto. }
        destruct (continues (x, y)); auto. cbn [Tutte.ends flat_map fst snd app]. constructor.
        * intros [-> | H]; [apply Hx; cbn; auto |]. apply Hx. right. now apply S.
        * constructor; auto.
      + intros x y Hx Hy E. apply ends_filter in Hx, Hy.
        pose proof (HP x (Q_in_V x Hx)) as (_ & _ & Px & _). pose proof (HP y (Q_in_V y Hy)) as (_ & _ & Py & _). congruence.
    - now apply NoDup_app_parts in NV.
    - intros u. rewrite in_map_iff. split.
      + intros (w & <- & Hw). unfold Tutte.ends in Hw. apply in_flat_map in Hw as ([a b] & He & Hw). apply filter_In in He as [He C].
        unfold continues in C. apply negb_true_iff in C. cbn [fst snd] in *.
        destruct (pair_cases a b He) as [[E _] | (_ & Ca & Cb)].
        { apply same_spec with (eq_dec := vertex_dec) in E. unfold Tutte.same in *. congruence. }
        apply in_app_iff. destruct Hw as [<- | [<- | []]]; tauto.
      + intros Hu. assert (Vu : In u (vertices m j Q)) by (unfold vertices; rewrite !in_app_iff in *; tauto).
        destruct (HP u Vu) as (Vp & NE & PP & HA). exists (p u). split; auto.
        assert (Hp : In (p u) (ends Q)).
        { assert (NQ : ~ In u (ends Q)). { intros H. apply NoDup_app_parts in NV as (_ & _ & D). exact (D u H Hu). }
          unfold adjacent in HA. apply andb_true_iff in HA as [_ HA]. rewrite orb_true_iff, !edge_spec in HA.
          unfold edges in HA. rewrite !in_app_iff in HA.
          assert (QQ : forall x y, In (x, y) Q -> In x (ends Q) /\ In y (ends Q)).
          { intros x y H. unfold Tutte.ends. rewrite !in_flat_map. split; exists (x, y); cbn; auto. }
          assert (NW : forall w, In w (ksets m j) -> In w (vertices m j Q) -> In w (ends Q)).
          { intros w Hw Vw. apply ksets_spec in Hw as [Lw Sw]. unfold vertices in Vw. rewrite !in_app_iff in Vw. destruct Vw as [| [Vw | Vw]]; auto.
            - apply ksets_spec in Vw as [_ S']. lia. - apply star_empty in Vw. exfalso. rewrite Vw in Lw. cbn in Lw. lia. }
          destruct HA as [[H | [H | H]] | [H | [H | H]]].
          - apply NW; auto. eapply inclusion_in_W; [| | exact H]; lia.
          - apply QQ in H as [H _]. contradiction.
          - apply in_flat_map in H as (s & Hs & H). apply in_map_iff in H as (? & [= _ <-] & H). exact H.
          - exfalso. assert (W : In u (ksets m j)) by (eapply inclusion_in_W; [| | exact H]; lia). exact (NQ (NW u W Vu)).
          - apply QQ in H as [_ H]. contradiction.
          - apply in_flat_map in H as (s & Hs & H). apply in_map_iff in H as (? & [= _ <-] & H). contradiction. }
        unfold Tutte.ends in *. apply in_flat_map in Hp as ([a b] & He & Hw). apply in_flat_map. exists (a, b). split; auto.
        apply filter_In. split; auto. unfold continues. cbn [fst snd] in *. apply negb_true_iff. destruct (same (p a) b) eqn:E; auto. exfalso.
        apply same_spec in E. assert (I : In a (ends Q) /\ In b (ends Q)) by (unfold Tutte.ends; rewrite !in_flat_map; split; exists (a, b); cbn; auto).
        assert (Pb : p b = a) by (rewrite <- E; now apply HP, Q_in_V).
        assert (Hu' : In u (ends Q)) by (destruct Hw as [Hw | [Hw | []]]; rewrite <- PP, <- Hw; [rewrite E | rewrite Pb]; tauto).
        apply NoDup_app_parts in NV as (_ & _ & D). exact (D u Hu' Hu).
  Qed.
End Step.
