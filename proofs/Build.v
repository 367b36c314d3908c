(* Build: the nested list, level by level (the induction of chapter "The conjecture is true"). NestedList.v states
   the theorem for which it is needed. *)

From Coq Require Import List Arith Lia Permutation Sorted Bool.
From Treebounds Require Import Definitions Counting Chains Sets Tutte Levels PairsLeftOver NestedList.
Import ListNotations.

(* A feature, half built: ascending lower sets and ascending upper sets; lower sets are disjoint from upper sets. *)
Definition half : Type := (list (list bool) * list (list bool))%type.

Definition valid (m : nat) (x : half) : Prop :=
  StronglySorted subset (fst x) /\ StronglySorted subset (snd x) /\
  (forall A, In A (fst x) \/ In A (snd x) -> length A = m) /\
  (forall A B, In A (fst x) -> In B (snd x) -> disjoint A B).

Definition feet (k : nat) (x : half) : list (list bool) := filter (fun A => size A =? k) (fst x ++ snd x).

Definition at_level (m j : nat) (x : half) : Prop :=
  exists a A b B, x = (a :: A, b :: B) /\ size a = j /\ size b = j /\ Forall (fun C => j < size C) (A ++ B) /\ valid m x.

Definition extends (m j : nat) (x y : half) : Prop :=
  exists lo lo', y = (lo ++ fst x, lo' ++ snd x) /\ Forall (fun C => size C < j) (lo ++ lo') /\ valid m y.

Definition good (m k : nat) (L : list half) : Prop :=
  exists L1 q L2 extra, L = L1 ++ q ++ L2 /\ length q <= 1 /\ length extra = length q /\
    incl extra (flat_map (feet k) q) /\ Permutation (flat_map (feet k) L1 ++ extra) (ksets m k) /\
    Forall (fun x => length (feet k x) = 2) L1.

Definition state (m j : nat) (R q : list half) (extra : list (list bool)) : Prop :=
  Forall (at_level m j) (R ++ q) /\ length q <= 1 /\ length extra = length q /\ incl extra (flat_map (feet j) q) /\
  Permutation (flat_map (feet j) R ++ extra) (ksets m j).

Definition first_foot (x : half) : list bool := hd [] (fst x).
Definition second_foot (x : half) : list bool := hd [] (snd x).

Lemma filter_none {X} (p : X -> bool) L : (forall x, In x L -> p x = false) -> filter p L = [].
Proof. induction L as [|x L IH]; intros H; auto. cbn. rewrite H by (cbn; auto). apply IH. intros; apply H; cbn; auto. Qed.

Lemma feet_at_level m j x : at_level m j x -> feet j x = [first_foot x; second_foot x].
Proof.
  intros (a & A & b & B & -> & Ha & Hb & F & _). unfold feet, first_foot, second_foot. cbn [fst snd hd]. rewrite filter_app. cbn [filter].
  rewrite Ha, Hb, Nat.eqb_refl. apply Forall_app in F as [FA FB]. rewrite Forall_forall in FA, FB.
  rewrite (filter_none _ A), (filter_none _ B); auto.
  - intros C HC. specialize (FB C HC). apply Nat.eqb_neq. lia.
  - intros C HC. specialize (FA C HC). apply Nat.eqb_neq. lia.
Qed.

Lemma feet_extends m j k x y : extends m j x y -> j <= k -> feet k y = feet k x.
Proof.
  intros (lo & lo' & -> & F & _) H. unfold feet. cbn [fst snd]. rewrite !filter_app. apply Forall_app in F as [FA FB].
  rewrite Forall_forall in FA, FB. rewrite (filter_none _ lo), (filter_none _ lo'); auto.
  - intros C HC. specialize (FB C HC). apply Nat.eqb_neq. lia.
  - intros C HC. specialize (FA C HC). apply Nat.eqb_neq. lia.
Qed.

Lemma good_app m k L L' : good m k L -> good m k (L ++ L').
Proof.
  intros (L1 & q & L2 & extra & -> & H). exists L1, q, (L2 ++ L'), extra. split; [now rewrite <- !app_assoc | exact H].
Qed.

Lemma flat_map_permutation {X Y} (F : X -> list Y) L L' : Permutation L L' -> Permutation (flat_map F L) (flat_map F L').
Proof.
  induction 1; cbn; auto.
  - now apply Permutation_app_head.
  - rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  - etransitivity; eauto.
Qed.

Lemma disjoint_subset A B A' B' : disjoint A B -> subset A' A -> subset B' B -> disjoint A' B'.
Proof.
  intros H HA HB e He. specialize (H e (HA e He)). unfold has in *. destruct (nth e B' false) eqn:E; auto.
  rewrite (HB e E) in H. discriminate.
Qed.

Lemma subset_trans A B C : subset A B -> subset B C -> subset A C.
Proof. intros H H' e He. auto. Qed.

Lemma sorted_cons_below a b A : StronglySorted subset (b :: A) -> subset a b -> StronglySorted subset (a :: b :: A).
Proof.
  intros HS H. constructor; auto. constructor; auto. apply StronglySorted_inv in HS as [_ F]. eapply Forall_impl; [| exact F].
  intros C HC. eapply subset_trans; eauto.
Qed.

(* One more set below on each side. *)
Lemma valid_down m j a A b B a' b' : 1 <= j -> at_level m j (a :: A, b :: B) -> subset a' a -> subset b' b ->
  length a' = m -> length b' = m -> size a' = j - 1 -> size b' = j - 1 -> at_level m (j - 1) (a' :: a :: A, b' :: b :: B).
Proof.
  intros Hj (a0 & A0 & b0 & B0 & [= -> -> -> ->] & Sa & Sb & F & (S1 & S2 & L & D)) Ha Hb La Lb Sa' Sb'. cbn [fst snd] in *.
  exists a', (a0 :: A0), b', (b0 :: B0). split; [auto | split; [auto | split; [auto | split]]].
  - apply Forall_app in F as [FA FB]. apply Forall_app. split; constructor; try lia; (eapply Forall_impl; [| eassumption]); intros; cbn in *; lia.
  - repeat split; cbn [fst snd].
    + now apply sorted_cons_below.
    + now apply sorted_cons_below.
    + intros C [[<- | H] | [<- | H]]; auto.
    + intros C C' HC HC'.
      assert (GA : exists X, In X (a0 :: A0) /\ subset C X).
      { destruct HC as [<- | HC]; [exists a0; cbn; auto | exists C; split; auto; intros e; auto]. }
      assert (GB : exists X, In X (b0 :: B0) /\ subset C' X).
      { destruct HC' as [<- | HC']; [exists b0; cbn; auto | exists C'; split; auto; intros e; auto]. }
      destruct GA as (X & HX & CX), GB as (Y & HY & CY). eapply disjoint_subset; [apply (D X Y) | |]; auto.
Qed.

Section Induction.
  Variable m : nat.

  Lemma inclusion_facts j u w : 1 <= j -> In (u, w) (inclusions m j) -> subset u w /\ length u = m /\ size u = j - 1.
  Proof.
    intros Hj H. unfold inclusions in H. apply in_flat_map in H as (v & Hv & H). apply in_map_iff in H as (e & [= <- <-] & He).
    apply ksets_spec in Hv as [L S]. apply zeros_spec in He as [He _]. split; [| auto]. intros x Hx.
    change (has (set v e true) x = true). rewrite has_set by exact He. destruct (x =? e); auto.
  Qed.

  Definition down (w : list bool) : list bool := set w (hd 0 (ones w)) false.

  Lemma down_facts j w : 1 <= j -> length w = m -> size w = j -> subset (down w) w /\ length (down w) = m /\ size (down w) = j - 1.
  Proof.
    intros Hj L S. unfold down. assert (H : has w (hd 0 (ones w)) = true).
    { apply ones_spec. pose proof (ones_length w). destruct (ones w); cbn in *; [lia | auto]. }
    split; [| split].
    - intros x Hx. change (has (set w (hd 0 (ones w)) false) x = true) in Hx. rewrite has_set in Hx by now apply has_length.
      destruct (x =? hd 0 (ones w)); [discriminate | exact Hx].
    - now rewrite set_length.
    - pose proof (size_remove _ _ H). lia.
  Qed.

  Lemma one_missing {X} (x : X) (A B C : list X) : Permutation (A ++ B) (C ++ [x]) -> In x A -> length A = 2 ->
    exists y, In y A /\ Permutation (B ++ [y]) C /\ (A = [x; y] \/ A = [y; x]).
  Proof.
    intros P H L. destruct A as [|a [|b [|c A]]]; try discriminate. cbn in P.
    destruct H as [-> | [-> | []]].
    - exists b. split; [cbn; auto |]. split; auto. rewrite (Permutation_app_comm C [x]) in P. cbn in P. apply Permutation_cons_inv in P.
      rewrite <- P. apply Permutation_app_comm.
    - exists a. split; [cbn; auto |]. split; auto. rewrite (Permutation_app_comm C [x]) in P. cbn in P. rewrite perm_swap in P.
      apply Permutation_cons_inv in P. rewrite <- P. apply Permutation_app_comm.
  Qed.

  Lemma build j : forall R q extra, 1 <= j -> 2 * j <= m -> state m j R q extra ->
    exists L L1 R2, L = L1 ++ q /\ Permutation R R2 /\ Forall2 (extends m j) R2 L1 /\
      Forall (valid m) L /\ forall k, 1 <= k <= j -> good m k L.
  Proof.
    induction j as [j IH] using lt_wf_ind. intros R q extra Hj Hm (HR & Hq & HE & HI & HP).
    assert (VR : forall x, In x (R ++ q) -> valid m x).
    { intros x Hx. rewrite Forall_forall in HR. destruct (HR x Hx) as (? & ? & ? & ? & _ & _ & _ & _ & V). exact V. }
    assert (REFL : forall x, In x (R ++ q) -> extends m j x x).
    { intros [x1 x2] Hx. exists [], []. cbn. repeat split; auto; now apply (VR (x1, x2)). }
    apply Forall_app in HR as [HR HQ].
    assert (TWO : Forall (fun x => length (feet j x) = 2) R).
    { eapply Forall_impl; [| exact HR]. intros x Hx. now rewrite (feet_at_level m j x Hx). }
    destruct (Nat.eq_dec j 1) as [-> | j1].
    { exists (R ++ q), R, R. split; [auto | split; [auto | split; [| split]]].
      - assert (G : forall L, (forall x, In x L -> In x (R ++ q)) -> Forall2 (extends m 1) L L).
        { induction L as [|x L IHL]; intros H; constructor; [apply REFL, H; cbn; auto | apply IHL; intros; apply H; cbn; auto]. }
        apply G. intros x Hx. apply in_app_iff. auto.
      - now apply Forall_forall.
      - intros k Hk. assert (k = 1) by lia. subst k. exists R, q, [], extra. rewrite app_nil_r. repeat split; auto. }
    (* The matching between the levels j and j - 1. *)
    set (Q := map (fun x => (first_foot x, second_foot x)) R).
    assert (EQ : forall L, Forall (at_level m j) L -> ends (map (fun x => (first_foot x, second_foot x)) L) = flat_map (feet j) L).
    { induction 1 as [|x L Hx HL IHL]; auto. cbn [map Tutte.ends flat_map fst snd]. rewrite (feet_at_level m j x Hx). cbn. do 2 f_equal. exact IHL. }
    assert (PQ : Permutation (ends Q ++ extra) (ksets m j)) by (unfold Q; now rewrite EQ).
    assert (j2 : 2 <= j) by lia. assert (E1 : length extra <= 1) by lia.
    destruct (pairs_left_over m j j2 Hm Q extra PQ E1) as (p & Mp).
    pose proof (lower_all m j j2 Hm Q extra PQ E1 p Mp) as LOW.
    set (stays := fun x => continues p (first_foot x, second_foot x)).
    set (Cont := filter stays R). set (Ret := filter (fun x => negb (stays x)) R).
    assert (PR : Permutation R (Cont ++ Ret)).
    { clear. unfold Cont, Ret. induction R as [|x L IHL]; auto. cbn. destruct (stays x); cbn; [now constructor |].
      rewrite <- Permutation_middle. now constructor. }
    set (lower := fun x : half => [p (first_foot x); p (second_foot x)]).
    assert (PL : Permutation (flat_map lower Cont) (ksets m (j - 1) ++ star m j)).
    { rewrite <- LOW. unfold Q, Cont. rewrite filter_map. fold stays. clear. induction (filter stays R) as [|x L IHL]; auto.
      cbn [flat_map map Tutte.ends fst snd app]. do 2 constructor. exact IHL. }
    assert (CC : forall x, In x Cont -> In x R /\ at_level m j x /\
      (In (p (first_foot x), first_foot x) (inclusions m j) \/ p (first_foot x) = []) /\
      (In (p (second_foot x), second_foot x) (inclusions m j) \/ p (second_foot x) = [])).
    { intros x Hx. apply filter_In in Hx as [Hx Sx]. rewrite Forall_forall in HR. repeat split; auto.
      all: assert (HQx : In (first_foot x, second_foot x) Q) by (unfold Q; apply in_map_iff; exists x; auto).
      all: destruct (pair_cases m j j2 Hm Q extra PQ E1 p Mp _ _ HQx) as [[E _] | (_ & Ca & Cb)].
      1, 3: exfalso; unfold stays, continues in Sx; cbn [fst snd] in Sx; apply negb_true_iff in Sx;
        apply (same_spec (list bool) vertex_dec) in E; congruence.
      - destruct Ca as [[_ Ca] | Ca]; auto. right. now apply star_spec in Ca.
      - destruct Cb as [[_ Cb] | Cb]; auto. right. now apply star_spec in Cb. }
    set (below := fun w => match p w with [] => down w | u => u end).
    set (ext := fun x : half => (below (first_foot x) :: fst x, below (second_foot x) :: snd x)).
    assert (BF : forall w, length w = m -> size w = j -> (In (p w, w) (inclusions m j) \/ p w = []) ->
      subset (below w) w /\ length (below w) = m /\ size (below w) = j - 1).
    { intros w Lw Sw C. unfold below. destruct (p w) as [|b u] eqn:Ep; [apply down_facts; auto |].
      destruct C as [C | C]; [| discriminate]. apply inclusion_facts; auto. }
    assert (EXT : forall x, In x Cont -> at_level m (j - 1) (ext x) /\ extends m j x (ext x)).
    { intros x Hx. destruct (CC x Hx) as (_ & (a & A & b & B & -> & Sa & Sb & F & V) & Ca & Cb).
      unfold ext, first_foot, second_foot in *. cbn [fst snd hd] in *.
      assert (La : length a = m) by (apply V; cbn; auto). assert (Lb : length b = m) by (apply V; cbn; auto).
      destruct (BF a La Sa Ca) as (B1 & B2 & B3), (BF b Lb Sb Cb) as (B4 & B5 & B6).
      assert (AL : at_level m (j - 1) (below a :: a :: A, below b :: b :: B)).
      { apply valid_down; auto. exists a, A, b, B. auto. }
      split; auto. exists [below a], [below b]. cbn [app fst snd]. split; auto. split.
      - repeat constructor; lia.
      - destruct AL as (? & ? & ? & ? & _ & _ & _ & _ & V'). exact V'. }
    assert (FE : forall x, In x Cont -> feet (j - 1) (ext x) = [below (first_foot x); below (second_foot x)]).
    { intros x Hx. rewrite (feet_at_level m (j - 1) _ (proj1 (EXT x Hx))). reflexivity. }
    assert (NB : forall w, p w <> [] -> below w = p w) by (intros w H; unfold below; destruct (p w); congruence).
    (* The next state. *)
    assert (NEXT : exists C q' extra', Permutation Cont (C ++ q') /\ state m (j - 1) (map ext C) (map ext q') extra').
    { assert (FL : forall L, incl L Cont -> (forall w, In w (flat_map lower L) -> w <> []) -> flat_map (feet (j - 1)) (map ext L) = flat_map lower L).
      { induction L as [|x L IHL]; intros HL HN; auto. cbn [map flat_map]. rewrite FE by (apply HL; cbn; auto).
        rewrite IHL; [| intros y Hy; apply HL; cbn; auto | intros w Hw; apply HN; cbn [flat_map]; apply in_app_iff; auto].
        unfold lower at 3. rewrite !NB; auto; apply HN; cbn; auto. }
      assert (U0 : forall w, In w (ksets m (j - 1)) -> w <> []).
      { intros w Hw ->. apply ksets_spec in Hw as [Hw _]. cbn in Hw. lia. }
      destruct (star m j) as [|s st] eqn:Est.
      - rewrite app_nil_r in PL. exists Cont, [], []. rewrite app_nil_r. split; auto. cbn [map]. unfold state. rewrite !app_nil_r.
        repeat split; auto; [| intros ? [] |].
        + apply Forall_map, Forall_forall. intros x Hx. now apply EXT.
        + rewrite FL; auto; [apply incl_refl |]. intros w Hw. apply U0. now apply (Permutation_in w PL).
      - assert (Hs : In s (star m j)) by (rewrite Est; cbn; auto). apply star_spec in Hs as (-> & Est' & _).
        rewrite Est in Est'. injection Est' as ->.
        assert (I : In [] (flat_map lower Cont)) by (apply (Permutation_in [] (Permutation_sym PL)), in_app_iff; cbn; auto).
        apply in_flat_map in I as (x & Hx & I). apply in_split in Hx as (C1 & C2 & EC).
        assert (PC : Permutation Cont (x :: C1 ++ C2)) by (rewrite EC; symmetry; apply Permutation_middle).
        assert (Hx : In x Cont) by (rewrite EC; apply in_app_iff; cbn; auto).
        assert (HC : incl (C1 ++ C2) Cont) by (intros y Hy; apply (Permutation_in y (Permutation_sym PC)); cbn; auto).
        rewrite (flat_map_permutation _ _ _ PC) in PL. cbn [flat_map] in PL.
        destruct (one_missing [] (lower x) (flat_map lower (C1 ++ C2)) _ PL I eq_refl) as (y & Hy & PY & SH).
        assert (Hy0 : y <> []).
        { apply U0. apply (Permutation_in y PY), in_app_iff. cbn. auto. }
        exists (C1 ++ C2), [x], [y]. split; [rewrite PC; apply Permutation_cons_append |]. cbn [map]. unfold state. repeat split; auto.
        + apply Forall_app. split; [apply Forall_map, Forall_forall; intros z Hz; apply EXT, HC, Hz |]. repeat constructor. now apply EXT.
        + intros z [<- | []]. cbn [flat_map]. rewrite app_nil_r, FE by exact Hx. unfold lower in SH.
          destruct SH as [[= E1' E2'] | [= E1' E2']]; cbn.
          * right. left. rewrite NB; congruence. * left. rewrite NB; congruence.
        + rewrite FL; auto. intros w Hw. apply U0. apply (Permutation_in w PY), in_app_iff. auto. }
    destruct NEXT as (C & q' & extra' & PC & ST').
    destruct (IH (j - 1)) with (4 := ST') as (L' & L1' & R2' & EL & P2 & F2 & VL & GL); try lia.
    apply Permutation_sym, Permutation_map_inv in P2 as (C2 & -> & PC2).
    assert (IC : forall x, In x (C2 ++ q') -> In x Cont).
    { intros x Hx. apply (Permutation_in x (Permutation_sym PC)). rewrite in_app_iff in *. destruct Hx as [Hx |]; auto. left.
      apply (Permutation_in x (Permutation_sym PC2)). exact Hx. }
    assert (F3 : Forall2 (extends m j) (C2 ++ q' ++ Ret) (L1' ++ map ext q' ++ Ret)).
    { apply Forall2_app; [| apply Forall2_app].
      - assert (G : forall A B, (forall x, In x A -> In x Cont) -> Forall2 (extends m (j - 1)) (map ext A) B -> Forall2 (extends m j) A B).
        { induction A as [|x A IHA]; intros B HA HF; inversion HF as [|? ? ? B' HX HB]; subst; constructor; [| apply IHA; auto; intros; apply HA; cbn; auto].
          destruct HX as (lo & lo' & -> & FL & V). unfold ext in *. cbn [fst snd] in *.
          destruct (EXT x (HA x (or_introl eq_refl))) as [AL _]. destruct AL as (a & A' & b & B'' & [= Ea _ Eb _] & Sa & Sb & _).
          exists (lo ++ [below (first_foot x)]), (lo' ++ [below (second_foot x)]). rewrite <- !app_assoc. cbn [app]. split; auto. split; auto.
          rewrite Forall_app in FL. destruct FL as [FL1 FL2].
          assert (W : forall K, Forall (fun C0 => size C0 < j - 1) K -> Forall (fun C0 => size C0 < j) K).
          { intros K. apply Forall_impl. intros. lia. }
          apply Forall_app. split; [now apply W |]. constructor; [rewrite Ea; lia |]. apply Forall_app. split; [now apply W |].
          constructor; [rewrite Eb; lia | constructor]. }
        apply G; auto. intros x Hx. apply IC, in_app_iff. auto.
      - assert (G : forall A, (forall x, In x A -> In x Cont) -> Forall2 (extends m j) A (map ext A)).
        { induction A as [|x A IHA]; intros HA; constructor; [apply EXT, HA; cbn; auto | apply IHA; intros; apply HA; cbn; auto]. }
        apply G. intros x Hx. apply IC, in_app_iff. auto.
      - assert (G : forall A, (forall x, In x A -> In x Ret) -> Forall2 (extends m j) A A).
        { induction A as [|x A IHA]; intros HA; constructor; [| apply IHA; intros; apply HA; cbn; auto].
          apply REFL, in_app_iff. left. specialize (HA x (or_introl eq_refl)). now apply filter_In in HA. }
        apply G; auto. }
    assert (PR2 : Permutation R (C2 ++ q' ++ Ret)).
    { rewrite PR, PC, PC2, <- app_assoc. reflexivity. }
    exists (L' ++ Ret ++ q), (L1' ++ map ext q' ++ Ret), (C2 ++ q' ++ Ret). split; [| split; [auto | split; [auto | split]]].
    - rewrite EL. now rewrite <- !app_assoc.
    - rewrite !Forall_app. repeat split; auto; apply Forall_forall; intros x Hx; apply VR, in_app_iff; auto. left. now apply filter_In in Hx.
    - intros k Hk. destruct (Nat.eq_dec k j) as [-> | NE]; [| apply good_app, GL; lia].
      assert (FF : flat_map (feet j) (L1' ++ map ext q' ++ Ret) = flat_map (feet j) (C2 ++ q' ++ Ret)).
      { clear - F3. induction F3 as [|x y A B H HF IHF]; auto. cbn. rewrite (feet_extends m j j x y H (le_n j)), IHF. reflexivity. }
      exists (L1' ++ map ext q' ++ Ret), q, [], extra. rewrite EL, app_nil_r. repeat split; auto.
      + now rewrite <- !app_assoc.
      + rewrite FF. rewrite <- (flat_map_permutation (feet j) _ _ PR2). exact HP.
      + assert (T2 : Forall (fun x => length (feet j x) = 2) (C2 ++ q' ++ Ret)).
        { eapply Permutation_Forall; [exact PR2 | exact TWO]. }
        clear - F3 T2. induction F3 as [|x y A B H HF IHF]; constructor; inversion T2; subst.
        * now rewrite (feet_extends m j j x y H (le_n j)). * auto.
  Qed.
End Induction.
