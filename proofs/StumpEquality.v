(* The nested list at the top level. With it StumpGrowth.v proves the conjecture of Leboeuf, LeBlanc and Marchand
   (2020) that the bound of their Theorem 7 is an equality (chapter "The conjecture is true").

   In words: for every m >= 2 there is one list of features that is good for each k = 1, ..., floor(m / 2), as
   NestedList.v describes it. Initial parts of this list serve every number of features. *)

From Coq Require Import List Arith Lia Permutation Sorted Bool.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Chains Sets StumpBound Tutte Levels PairsLeftOver NestedList Build.
Import ListNotations.

(* ---- The top level ------------------------------------------------------------------------------------------------------ *)

Definition singles (P : list (list bool * list bool)) : list half := map (fun e => ([fst e], [snd e])) P.

Definition disjoint_pair (m h : nat) (e : (list bool) * (list bool)) : Prop :=
  length (fst e) = m /\ length (snd e) = m /\ size (fst e) = h /\ size (snd e) = h /\ disjoint (fst e) (snd e).

Lemma singles_at_level m h P : Forall (disjoint_pair m h) P -> Forall (at_level m h) (singles P).
Proof.
  intros H. apply Forall_map. eapply Forall_impl; [| exact H]. intros [a b] (La & Lb & Sa & Sb & D). cbn [fst snd] in *.
  exists a, [], b, []. cbn [app]. repeat split; auto; cbn [fst snd].
  - repeat constructor.
  - repeat constructor.
  - intros A [[<- | []] | [<- | []]]; auto.
  - intros A B [<- | []] [<- | []]. exact D.
Qed.

Lemma singles_feet m h P : Forall (disjoint_pair m h) P -> flat_map (feet h) (singles P) = ends P.
Proof.
  induction 1 as [|[a b] P (La & Lb & Sa & Sb & D) H IH]; auto. cbn [singles map flat_map Tutte.ends fst snd app] in *.
  unfold feet at 1. cbn [fst snd app filter]. rewrite Sa, Sb, Nat.eqb_refl. cbn. do 2 f_equal. exact IH.
Qed.

Lemma ksets_S m k : ksets (S m) (S k) = map (cons false) (ksets m (S k)) ++ map (cons true) (ksets m k).
Proof. unfold ksets. cbn [all_sets]. rewrite filter_app, !filter_map. reflexivity. Qed.

Lemma ksets_one_more m k : 1 <= k -> ksets (m + 1) k = map (cons false) (ksets m k) ++ map (cons true) (ksets m (k - 1)).
Proof. intros H. destruct k; [lia |]. rewrite Nat.add_1_r, ksets_S. do 3 f_equal. lia. Qed.

Lemma disjoint_complement A : disjoint A (complement A).
Proof. intros e He. rewrite complement_has by now apply has_length. now rewrite He. Qed.

Lemma complement_disjoint A : disjoint (complement A) A.
Proof.
  intros e He. pose proof (has_length _ _ He) as L. rewrite complement_length in L. rewrite complement_has in He by auto.
  now destruct (has A e).
Qed.

Definition halves (m h : nat) : list (list bool * list bool) := map (fun A => (true :: A, complement (true :: A))) (ksets (m - 1) (h - 1)).

Lemma halves_spec h e : 1 <= h -> In e (halves (2 * h) h) -> snd e = complement (fst e) /\ length (fst e) = 2 * h /\ size (fst e) = h.
Proof.
  intros Hh H. apply in_map_iff in H as (A & <- & HA). apply ksets_spec in HA as [L S]. cbn [fst snd]. split; auto. cbn [length size]. lia.
Qed.

Lemma halves_disjoint h : 1 <= h -> Forall (disjoint_pair (2 * h) h) (halves (2 * h) h).
Proof.
  intros Hh. apply Forall_forall. intros e He. destruct (halves_spec h e Hh He) as (E & L & S). unfold disjoint_pair.
  rewrite E, complement_length, complement_size. repeat split; auto; try lia. apply disjoint_complement.
Qed.

Lemma halves_all h : 1 <= h -> Permutation (ends (halves (2 * h) h)) (ksets (2 * h) h).
Proof.
  intros Hh. assert (SPEC : forall A, In A (ends (halves (2 * h) h)) <-> In A (ksets (2 * h) h)).
  { intros A. rewrite ksets_spec. unfold Tutte.ends. rewrite in_flat_map. split.
    - intros (e & He & H). destruct (halves_spec h e Hh He) as (E & L & S). destruct H as [<- | [<- | []]]; auto.
      rewrite E, complement_length, complement_size. lia.
    - intros [L S]. destruct A as [|[|] A]; cbn [length size] in *; [lia | |].
      + exists (true :: A, complement (true :: A)). split; [| cbn; auto]. unfold halves. apply in_map_iff. exists A. split; auto. apply ksets_spec. lia.
      + exists (true :: complement A, complement (true :: complement A)). split.
        * unfold halves. apply in_map_iff. exists (complement A). split; auto. apply ksets_spec. rewrite complement_length, complement_size. lia.
        * cbn. right. left. f_equal. apply complement_involutive. }
  apply NoDup_Permutation; [| apply ksets_NoDup | exact SPEC].
  unfold halves, Tutte.ends. rewrite flat_map_concat_map, map_map, <- flat_map_concat_map. apply NoDup_flat_map; [apply ksets_NoDup | |].
  - intros A _. cbn. repeat constructor; cbn; intuition discriminate.
  - intros A B x _ _. cbn. intros [<- | [<- | []]] [E | [E | []]]; try discriminate; injection E; auto.
    intros E'. rewrite <- (complement_involutive A), <- (complement_involutive B). f_equal. symmetry. exact E'.
Qed.

Section Odd.
  Variable h : nat.
  Hypothesis h_large : 2 <= h.
  Let Q := halves (2 * h) h.
  Variable p : list bool -> (list bool).
  Hypothesis Mp : matching (list bool) (adjacent (2 * h) h Q) (vertices (2 * h) h Q) p.

  Definition up (u w : list bool) : list (list bool * list bool) := match u with [] => [] | _ => [(true :: u, false :: w)] end.
  Definition lost (u w : list bool) : list (list bool) := match u with [] => [false :: w] | _ => [] end.

  Definition new_pairs (e : (list bool) * (list bool)) : list (list bool * list bool) :=
    if continues p e then up (p (fst e)) (snd e) ++ up (p (snd e)) (fst e) else [(false :: fst e, false :: snd e)].
  Definition missing (e : (list bool) * (list bool)) : list (list bool) :=
    if continues p e then lost (p (fst e)) (snd e) ++ lost (p (snd e)) (fst e) else [].

  Definition nonempty (u : list bool) : bool := match u with [] => false | _ => true end.

  Lemma Q_paired : Permutation (ends Q ++ []) (ksets (2 * h) h).
  Proof. rewrite app_nil_r. apply halves_all. lia. Qed.

  Let none : @length (list bool) [] <= 1 := le_S _ _ (le_n 0).

  Lemma low : Permutation (map p (ends (filter (continues p) Q))) (ksets (2 * h) (h - 1) ++ star (2 * h) h).
  Proof. apply (lower_all (2 * h) h h_large (le_n _) Q [] Q_paired none p Mp). Qed.

  Lemma ends_flat (F : (list bool) * (list bool) -> list (list bool * list bool)) L : ends (flat_map F L) = flat_map (fun e => ends (F e)) L.
  Proof. induction L as [|e L IH]; auto. cbn [flat_map]. unfold Tutte.ends in *. rewrite flat_map_app, IH. reflexivity. Qed.

  Lemma new_pairs_all : Permutation (ends (flat_map new_pairs Q) ++ flat_map missing Q) (ksets (2 * h + 1) h).
  Proof.
    rewrite ksets_one_more by lia.
    assert (E : filter nonempty (ksets (2 * h) (h - 1) ++ star (2 * h) h) = ksets (2 * h) (h - 1)).
    { rewrite filter_app. rewrite (filter_none _ (star (2 * h) h)).
      - rewrite app_nil_r. assert (G : forall L, (forall A, In A L -> A <> []) -> filter nonempty L = L).
        { induction L as [|A L IH]; intros H; auto. cbn. pose proof (H A (or_introl eq_refl)). destruct A; [congruence |]. cbn. f_equal. apply IH. intros; apply H; cbn; auto. }
        apply G. intros A HA ->. apply ksets_spec in HA as [HA _]. cbn in HA. lia.
      - intros s Hs. apply star_spec in Hs as [-> _]. reflexivity. }
    rewrite <- E, <- (Permutation_filter (list bool) nonempty _ _ low).
    pose proof Q_paired as P. rewrite app_nil_r in P. rewrite <- P. rewrite ends_flat. clear. generalize Q. intros L.
    apply (Permutation_count_occ vertex_dec). intros z. rewrite !count_occ_app.
    induction L as [|[a b] L IH]; auto. cbn [flat_map filter]. unfold new_pairs at 1, missing at 1.
    destruct (continues p (a, b)) eqn:C; cbn [fst snd].
    - assert (X : count_occ vertex_dec (ends (up (p a) b ++ up (p b) a)) z + count_occ vertex_dec (lost (p a) b ++ lost (p b) a) z =
         count_occ vertex_dec [false :: a; false :: b] z + count_occ vertex_dec (map (cons true) (filter nonempty [p a; p b])) z).
      { destruct (p a) as [|x u], (p b) as [|y v]; cbn [up lost app Tutte.ends flat_map fst snd filter nonempty map count_occ];
          repeat match goal with |- context [vertex_dec ?s ?t] => destruct (vertex_dec s t) end; lia. }
      change (ends ((a, b) :: L)) with ([a; b] ++ ends L).
      change (ends ((a, b) :: filter (continues p) L)) with ([a; b] ++ ends (filter (continues p) L)).
      rewrite !map_app, filter_app, map_app, !count_occ_app in *. cbn [map] in *. lia.
    - change (ends ((a, b) :: L)) with ([a; b] ++ ends L).
      change (ends [(false :: a, false :: b)]) with [false :: a; false :: b].
      rewrite !map_app, !count_occ_app in *. cbn [map] in *. cbn [app count_occ] in *. lia.
  Qed.

  Lemma complement_of_half a b : In (a, b) Q -> b = complement a /\ length a = 2 * h /\ size a = h.
  Proof. intros H. apply (halves_spec h (a, b)); [lia | exact H]. Qed.

  Lemma new_pairs_disjoint : Forall (disjoint_pair (2 * h + 1) h) (flat_map new_pairs Q).
  Proof.
    apply Forall_forall. intros e He. apply in_flat_map in He as ([a b] & Hab & He).
    destruct (complement_of_half a b Hab) as (Eb & La & Sa).
    assert (Lb : length b = 2 * h) by (subst b; now rewrite complement_length).
    assert (Sb : size b = h) by (subst b; rewrite complement_size; lia).
    assert (UP : forall u w w', disjoint w w' -> In (u, w) (inclusions (2 * h) h) \/ u = [] -> length w' = 2 * h -> size w' = h ->
      forall e, In e (up u w') -> disjoint_pair (2 * h + 1) h e).
    { intros u w w' D C Lw Sw e' He'. destruct u as [|x u]; [destruct He' |]. destruct He' as [<- | []].
      destruct C as [C | C]; [| discriminate]. apply inclusion_facts in C as (SUB & Lu & Su); [| lia].
      unfold disjoint_pair. cbn [fst snd]. change (size (true :: x :: u)) with (1 + size (x :: u)). change (size (false :: w')) with (size w').
      change (length (true :: x :: u)) with (1 + length (x :: u)). change (length (false :: w')) with (1 + length w').
      repeat split; try lia. intros [|q] Hq; [reflexivity |]. exact (D q (SUB q Hq)). }
    unfold new_pairs in He. destruct (continues p (a, b)) eqn:C; cbn [fst snd] in He.
    - destruct (pair_cases (2 * h) h h_large (le_n _) Q [] Q_paired none p Mp a b Hab) as [[E _] | (_ & Ca & Cb)].
      { exfalso. unfold continues in C. cbn [fst snd] in C. apply negb_true_iff in C. apply (same_spec (list bool) vertex_dec) in E. congruence. }
      assert (Ca' : In (p a, a) (inclusions (2 * h) h) \/ p a = []) by (destruct Ca as [[_ Ca] | Ca]; [auto | right; now apply star_spec in Ca]).
      assert (Cb' : In (p b, b) (inclusions (2 * h) h) \/ p b = []) by (destruct Cb as [[_ Cb] | Cb]; [auto | right; now apply star_spec in Cb]).
      apply in_app_iff in He as [He | He].
      + apply (UP (p a) a b); auto. subst b. apply disjoint_complement.
      + apply (UP (p b) b a); auto. subst b. apply complement_disjoint.
    - destruct He as [<- | []]. unfold disjoint_pair. cbn [fst snd length size]. repeat split; try lia.
      intros [|q] Hq; [reflexivity |]. subst b. exact (disjoint_complement a q Hq).
  Qed.

  Lemma missing_short : length (flat_map missing Q) <= 1.
  Proof.
    assert (E : length (flat_map missing Q) = length (filter (fun u => negb (nonempty u)) (map p (ends (filter (continues p) Q))))).
    { clear. generalize Q. intros L. induction L as [|[a b] L IH]; auto. cbn [flat_map filter]. rewrite app_length, IH. unfold missing.
      destruct (continues p (a, b)); cbn [fst snd]; auto.
      change (ends ((a, b) :: filter (continues p) L)) with ([a; b] ++ ends (filter (continues p) L)).
      rewrite map_app, filter_app, !app_length. f_equal. cbn [map filter]. destruct (p a), (p b); reflexivity. }
    rewrite E, (Permutation_length (Permutation_filter (list bool) _ _ _ low)), filter_app, app_length.
    rewrite (filter_none _ (ksets (2 * h) (h - 1))).
    - pose proof (length_filter_or (fun u => negb (nonempty u)) (star (2 * h) h)). unfold star in *.
      destruct (Nat.even (length (ksets (2 * h) (h - 1)))); cbn [length] in *; lia.
    - intros A HA. apply ksets_spec in HA as [L _]. destruct A; [cbn in L; lia | reflexivity].
  Qed.

  Lemma odd_state : exists R q extra, state (2 * h + 1) h R q extra.
  Proof.
    exists (singles (flat_map new_pairs Q)), (singles (map (fun v => (v, false :: complement (tl v))) (flat_map missing Q))), (flat_map missing Q).
    assert (MF : Forall (disjoint_pair (2 * h + 1) h) (map (fun v => (v, false :: complement (tl v))) (flat_map missing Q))).
    { apply Forall_map, Forall_forall. intros v Hv. apply in_flat_map in Hv as ([a b] & Hab & Hv).
      destruct (complement_of_half a b Hab) as (Eb & La & Sa).
      assert (G : forall w, length w = 2 * h -> size w = h -> disjoint_pair (2 * h + 1) h (false :: w, false :: complement w)).
      { intros w Lw Sw. unfold disjoint_pair. cbn [fst snd length size]. rewrite complement_length, complement_size. repeat split; try lia.
        intros [|q] Hq; [reflexivity |]. exact (disjoint_complement w q Hq). }
      assert (X : v = false :: a \/ v = false :: b).
      { unfold missing in Hv. destruct (continues p (a, b)); [| destruct Hv]. cbn [fst snd] in Hv. apply in_app_iff in Hv.
        unfold lost in Hv. destruct Hv as [Hv | Hv]; [destruct (p a) | destruct (p b)]; cbn in Hv; intuition. }
      destruct X as [-> | ->]; cbn [tl]; apply G; auto; subst b; [now rewrite complement_length | rewrite complement_size; lia]. }
    repeat split.
    - apply Forall_app. split; apply singles_at_level; [apply new_pairs_disjoint | exact MF].
    - unfold singles. rewrite !map_length. apply missing_short.
    - unfold singles. now rewrite !map_length.
    - rewrite (singles_feet _ _ _ MF). intros v Hv. unfold Tutte.ends. apply in_flat_map. exists (v, false :: complement (tl v)). split; [| cbn; auto].
      apply in_map_iff. exists v. auto.
    - rewrite (singles_feet _ _ _ new_pairs_disjoint). apply new_pairs_all.
  Qed.
End Odd.

Lemma top_state m : 2 <= m -> exists R q extra, state m (m / 2) R q extra.
Proof.
  intros Hm. pose proof (half_bounds m) as HB. set (h := m / 2) in *.
  assert (C : m = 2 * h \/ (m = 2 * h + 1 /\ 2 <= h) \/ (m = 3 /\ h = 1)) by lia. destruct C as [E | [[E Hh] | [E Hh]]].
  - rewrite E. exists (singles (halves (2 * h) h)), [], []. assert (D := halves_disjoint h ltac:(lia)). repeat split; auto.
    + rewrite app_nil_r. now apply singles_at_level.
    + intros ? [].
    + rewrite app_nil_r, (singles_feet _ _ _ D). apply halves_all. lia.
  - rewrite E. destruct (pairs_left_over (2 * h) h Hh (le_n _) (halves (2 * h) h) []) as (p & Mp).
    + rewrite app_nil_r. apply halves_all. lia.
    + cbn. lia.
    + exact (odd_state h Hh p Mp).
  - rewrite E, Hh. clear. set (a := [true; false; false]). set (b := [false; true; false]). set (c := [false; false; true]).
    assert (D : Forall (disjoint_pair 3 1) [(a, b)] /\ Forall (disjoint_pair 3 1) [(c, a)]).
    { split; repeat constructor; cbn; auto; intros [|[|[|q]]] Hq; cbn in *; try discriminate; auto; destruct q; discriminate. }
    destruct D as [D1 D2]. exists (singles [(a, b)]), (singles [(c, a)]), [c]. repeat split; auto.
    + apply Forall_app. split; now apply singles_at_level.
    + intros x [<- | []]. cbn. auto.
    + rewrite (singles_feet _ _ _ D1). unfold a, b, c. cbn. apply (Permutation_count_occ vertex_dec). intros z. cbn [count_occ].
      repeat match goal with |- context [vertex_dec ?s ?t] => destruct (vertex_dec s t) end; lia.
Qed.

(* Theorem: the nested list. *)
Theorem nested_list :
  forall m : nat, 2 <= m -> exists L, Forall (valid m) L /\ forall k, 1 <= k <= m / 2 -> good m k L.
Proof.
  intros m Hm. destruct (top_state m Hm) as (R & q & extra & ST). pose proof (half_bounds m).
  destruct (build m (m / 2) R q extra ltac:(lia) ltac:(lia) ST) as (L & _ & _ & _ & _ & _ & V & G). exists L. auto.
Qed.
