(* Symmetric chains, and the number of sets that l orders cut off (chapter "What is the VC dimension of a decision
   tree?").

   In words: there are l functions on M examples whose thresholds cut off sum_{k=0}^{M} min(l, C(M, k)) different sets
   of examples. They come from the l longest chains of a symmetric chain decomposition of all sets. *)

From Coq Require Import List Arith Lia Permutation Sorted.
From Treebounds Require Import Definitions Counting.
Import ListNotations.

(* A set of examples 0, ..., M - 1 is a list of M booleans. *)
Fixpoint all_sets (M : nat) : list (list bool) :=
  match M with 0 => [[]] | S M' => map (cons false) (all_sets M') ++ map (cons true) (all_sets M') end.

Lemma all_sets_spec M A : In A (all_sets M) <-> length A = M.
Proof.
  revert A. induction M; intros A; cbn.
  - split. { intros [<- | []]. auto. } destruct A; [auto | discriminate].
  - rewrite in_app_iff, !in_map_iff. split.
    + intros [(B & <- & HB) | (B & <- & HB)]; cbn; f_equal; now apply IHM.
    + destruct A as [|[|] A]; [discriminate | |]; cbn; intros [= H]; [right | left]; exists A; (split; [auto | now apply IHM]).
Qed.

Lemma all_sets_NoDup M : NoDup (all_sets M).
Proof.
  induction M; cbn. { constructor; auto. constructor. }
  apply NoDup_app_parts. repeat split.
  1, 2: apply NoDup_map_injective; auto; intros; congruence.
  intros A HA HB. apply in_map_iff in HA as (? & <- & _), HB as (? & E & _). discriminate.
Qed.

(* ---- The symmetric chain decomposition (de Bruijn, van Ebbenhorst Tengbergen, Kruyswijk) --------------------------- *)

Definition second (c : list (list bool)) : list (list (list bool)) :=
  match c with [] => [] | _ :: _ => [map (cons true) c] end.

Definition grow (c : list (list bool)) : list (list (list bool)) :=
  (map (cons false) c ++ [true :: last c []]) :: second (removelast c).

Fixpoint chains (M : nat) : list (list (list bool)) :=
  match M with 0 => [[[]]] | S M' => flat_map grow (chains M') end.

Lemma chains_nonempty M c : In c (chains M) -> c <> [].
Proof.
  revert c. induction M; intros c; cbn. { intros [<- | []]. discriminate. }
  rewrite in_flat_map. intros (d & Hd & Hc). unfold grow in Hc. destruct Hc as [<- | Hc].
  - destruct (map (cons false) d); discriminate.
  - destruct (removelast d); [destruct Hc |]. destruct Hc as [<- | []]. discriminate.
Qed.

Lemma grow_concat c : c <> [] -> Permutation (concat (grow c)) (map (cons false) c ++ map (cons true) c).
Proof.
  intros H. unfold grow. cbn [concat]. rewrite <- app_assoc. apply Permutation_app_head.
  rewrite (app_removelast_last [] H) at 3. rewrite map_app. cbn [map].
  assert (E : forall d, concat (second d) = map (cons true) d).
  { intros [|A d]; cbn [second concat map]; auto. now rewrite app_nil_r. }
  rewrite E. apply Permutation_app_comm.
Qed.

Lemma chains_concat M : Permutation (concat (chains M)) (all_sets M).
Proof.
  induction M; cbn [chains all_sets]. { cbn. auto. }
  assert (H : forall L, (forall c, In c L -> c <> []) ->
    Permutation (concat (flat_map grow L)) (map (cons false) (concat L) ++ map (cons true) (concat L))).
  { induction L as [|c L IH]; intros H; cbn [flat_map concat map app]; auto.
    rewrite concat_app, !map_app, grow_concat by (apply H; cbn; auto). rewrite IH by (intros; apply H; cbn; auto).
    rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail. apply Permutation_app_comm. }
  rewrite H by apply chains_nonempty. apply Permutation_app; now apply Permutation_map.
Qed.

(* Sets of one chain contain each other. *)
Definition subset (A B : list bool) : Prop := forall e, nth e A false = true -> nth e B false = true.

Lemma subset_cons x A B : subset A B -> subset (x :: A) (x :: B).
Proof. intros H [|e]; cbn; auto. Qed.

Lemma sorted_map x c : StronglySorted subset c -> StronglySorted subset (map (cons x) c).
Proof.
  induction 1 as [|A c S IH F]; cbn; constructor; auto.
  rewrite Forall_forall in *. intros B HB. apply in_map_iff in HB as (C & <- & HC). apply subset_cons. auto.
Qed.

Lemma sorted_snoc c A : StronglySorted subset c -> Forall (fun B => subset B A) c -> StronglySorted subset (c ++ [A]).
Proof.
  induction 1 as [|B c S IH F]; cbn; intros HF. { repeat constructor. }
  inversion HF; subst. constructor; auto. apply Forall_app. auto.
Qed.

Lemma sorted_removelast c : StronglySorted subset c -> StronglySorted subset (removelast c).
Proof.
  induction 1 as [|A c S IH F]; cbn; [constructor |]. destruct c; [constructor |]. constructor; auto.
  rewrite Forall_forall in *. intros B HB. apply F.
  rewrite (@app_removelast_last _ (l :: c) []) by discriminate. apply in_app_iff. auto.
Qed.

Lemma last_in {X} (x d : X) L : In (last (x :: L) d) (x :: L).
Proof. revert x. induction L as [|y L IH]; intros x; [now left |]. right. apply IH. Qed.

Lemma sorted_last c B : StronglySorted subset c -> In B c -> subset B (last c []).
Proof.
  induction 1 as [|A c S IH F]; intros HB; [destruct HB |].
  destruct c as [|C c]. { destruct HB as [-> | []]. intros e; auto. }
  destruct HB as [-> | HB]; [| now apply IH].
  rewrite Forall_forall in F. apply F.
  change (last (B :: C :: c) []) with (last (C :: c) []).
apply last_in.
Qed.

Lemma chains_sorted M c : In c (chains M) -> StronglySorted subset c.
Proof.
  revert c. induction M; intros c; cbn [chains]. { intros [<- | []]. repeat constructor. }
  rewrite in_flat_map. intros (d & Hd & Hc). specialize (IHM d Hd). unfold grow in Hc. destruct Hc as [<- | Hc].
  - apply sorted_snoc; [now apply sorted_map |]. rewrite Forall_forall. intros B HB.
    apply in_map_iff in HB as (C & <- & HC). intros [|e]; cbn; [discriminate |]. now apply sorted_last.
  - pose proof (sorted_removelast d IHM) as S. destruct (removelast d); [destruct Hc |]. destruct Hc as [<- | []]. now apply sorted_map.
Qed.

(* ---- The number of chains with at least r sets --------------------------------------------------------------------------- *)

Definition count_long (r : nat) (L : list (list (list bool))) : nat := length (filter (fun c => r <=? length c) L).

Lemma count_long_app r L L' : count_long r (L ++ L') = count_long r L + count_long r L'.
Proof. unfold count_long. now rewrite filter_app, app_length. Qed.

Lemma count_long_grow r L : (forall c, In c L -> c <> []) -> 1 <= r ->
  count_long r (flat_map grow L) = count_long (r - 1) L + count_long (r + 1) L.
Proof.
  intros HL Hr. induction L as [|c L IH]; auto. cbn [flat_map]. rewrite count_long_app, IH by (intros; apply HL; cbn; auto).
  assert (E : count_long r (grow c) = (if r - 1 <=? length c then 1 else 0) + (if r + 1 <=? length c then 1 else 0)).
  { assert (Hc : c <> []) by (apply HL; cbn; auto). clear - Hr Hc. unfold grow.
    assert (H : length c = S (length (removelast c))).
    { rewrite (app_removelast_last [] Hc) at 1. rewrite app_length. cbn. lia. }
    unfold count_long. destruct (removelast c) as [|A d] eqn:Ec; cbn [second filter]; rewrite !app_length, !map_length; cbn [length] in *;
      repeat match goal with |- context [?a <=? ?b] => destruct (Nat.leb_spec a b) end; cbn; lia. }
  rewrite E. unfold count_long. cbn [filter].
  destruct (r - 1 <=? length c), (r + 1 <=? length c); cbn; lia.
Qed.

Lemma count_long_chains M r : 1 <= r ->
  count_long r (chains M) = if r <=? M + 1 then binomial M ((M + 1 - r) / 2) else 0.
Proof.
  revert r. induction M; intros r Hr.
  - cbn [chains]. unfold count_long. cbn [filter length]. destruct (Nat.leb_spec r 1), (Nat.leb_spec r (0 + 1)); try lia.
    + replace (0 + 1 - r) with 0 by lia. reflexivity.
    + reflexivity.
  - cbn [chains]. rewrite count_long_grow by (apply chains_nonempty || exact Hr).
    assert (H0 : count_long (r - 1) (chains M) = if r <=? M + 2 then binomial M ((M + 2 - r) / 2) else 0).
    { destruct (Nat.eq_dec r 1) as [-> | Hr1].
      - assert (E : count_long (1 - 1) (chains M) = count_long 1 (chains M)).
        { unfold count_long. f_equal. apply filter_ext_in. intros c Hc. pose proof (chains_nonempty _ _ Hc).
          destruct c; [easy | reflexivity]. }
        rewrite E, IHM by lia. destruct (Nat.leb_spec 1 (M + 1)), (Nat.leb_spec 1 (M + 2)); try lia.
        replace (M + 1 - 1) with M by lia. replace (M + 2 - 1) with (M + 1) by lia.
        pose proof (half_bounds M). pose proof (half_bounds (M + 1)).
        rewrite <- (binomial_symmetric M (M / 2)) by lia. f_equal. lia.
      - rewrite IHM by lia. replace (r - 1 <=? M + 1) with (r <=? M + 2); [replace (M + 1 - (r - 1)) with (M + 2 - r) by lia; auto |].
        destruct (Nat.leb_spec r (M + 2)), (Nat.leb_spec (r - 1) (M + 1)); auto; lia. }
    rewrite H0, IHM by lia. replace (S M + 1) with (M + 2) by lia.
    destruct (Nat.leb_spec r (M + 2)) as [H | H], (Nat.leb_spec (r + 1) (M + 1)) as [H' | H']; try lia.
    + replace (M + 2 - r) with (M + 1 - (r + 1) + 1 * 2) by lia. rewrite Nat.div_add by lia. rewrite Nat.add_1_r, binomial_S. lia.
    + assert (E : (M + 2 - r) / 2 = 0) by (apply Nat.div_small; lia). rewrite E, !binomial_0. lia.
Qed.

(* ---- The l longest chains ---------------------------------------------------------------------------------------------- *)

Fixpoint insert_chain (c : list (list bool)) (L : list (list (list bool))) :=
  match L with [] => [c] | d :: L' => if length d <=? length c then c :: L else d :: insert_chain c L' end.

Definition by_length (L : list (list (list bool))) := fold_right insert_chain [] L.

Definition longer (c d : list (list bool)) : Prop := length d <= length c.

Lemma insert_chain_permutation c L : Permutation (c :: L) (insert_chain c L).
Proof. induction L as [|d L IH]; cbn; auto. destruct (length d <=? length c); auto. rewrite perm_swap. now constructor. Qed.

Lemma by_length_permutation L : Permutation L (by_length L).
Proof. induction L; cbn; auto. rewrite <- insert_chain_permutation. now constructor. Qed.

Lemma by_length_sorted L : StronglySorted longer (by_length L).
Proof.
  induction L as [|c L IH]; cbn. constructor.
  change (fold_right insert_chain [] L) with (by_length L). revert IH. generalize (by_length L). clear L. intros L IH.
  induction IH as [|d M HS IH F]; cbn. { repeat constructor. }
  destruct (Nat.leb_spec (length d) (length c)) as [H | H].
  - constructor; [now constructor |]. constructor; [exact H |]. eapply Forall_impl; [| exact F]. unfold longer. intros; lia.
  - constructor; auto. rewrite Forall_forall in *. intros z Hz.
    apply (Permutation_in z (Permutation_sym (insert_chain_permutation c M))) in Hz.
    destruct Hz as [<- | Hz]; [unfold longer; lia | auto].
Qed.

Lemma count_long_permutation r L L' : Permutation L L' -> count_long r L = count_long r L'.
Proof.
  unfold count_long. induction 1; cbn; auto; try congruence.
  - destruct (r <=? length x); cbn; auto.
  - destruct (r <=? length x), (r <=? length y); reflexivity.
Qed.

Lemma count_long_firstn r l L : StronglySorted longer L -> count_long r (firstn l L) = Nat.min l (count_long r L).
Proof.
  intros S. revert l. induction S as [|c L S IH F]; intros l. { destruct l; reflexivity. }
  destruct l; [reflexivity |]. unfold count_long in *. cbn [firstn filter].
  destruct (Nat.leb_spec r (length c)) as [H | H]; cbn [length]. { rewrite IH. reflexivity. }
  rewrite IH. assert (E : filter (fun c0 => r <=? length c0) L = []).
  { clear - F H. induction F as [|d L Hd F IH]; auto. cbn. unfold longer in Hd. destruct (Nat.leb_spec r (length d)); [lia | auto]. }
  rewrite E. cbn. lia.
Qed.

Lemma concat_length_count L K : (forall c, In c L -> length c <= K) ->
  length (concat L) = sum K (fun r => count_long (S r) L).
Proof.
  induction L as [|c L IH]; intros H; cbn [concat]. { cbn. rewrite sum_const. lia. }
  rewrite app_length, IH by (intros; apply H; cbn; auto).
  rewrite (sum_ext _ (fun r => count_long (S r) (c :: L)) (fun r => (if r <? length c then 1 else 0) + count_long (S r) L)).
  2:{ intros. unfold count_long. cbn [filter]. change (S i <=? length c) with (i <? length c). destruct (i <? length c); reflexivity. }
  rewrite sum_add. f_equal. specialize (H c (or_introl eq_refl)). clear - H. revert H. generalize (length c) as x.
  induction K; intros x H; [cbn; lia |]. cbn [sum]. destruct (Nat.eq_dec x (S K)) as [-> | E].
  - clear IHK. rewrite (sum_ext K _ (fun _ => 1)), sum_const.
    + destruct (Nat.ltb_spec K (S K)); lia.
    + intros. destruct (Nat.ltb_spec i (S K)); lia.
  - rewrite <- IHK by lia. destruct (Nat.ltb_spec K x); lia.
Qed.

Lemma sum_pairs K g : sum (2 * K) (fun r => g (r / 2)) = 2 * sum K g.
Proof.
  induction K; auto. replace (2 * S K) with (S (S (2 * K))) by lia. cbn [sum]. rewrite IHK.
  assert (E : 2 * K / 2 = K) by (rewrite Nat.mul_comm; apply Nat.div_mul; lia).
  assert (E' : S (2 * K) / 2 = K) by (pose proof (half_bounds (S (2 * K))); lia).
  rewrite E, E'. lia.
Qed.

Lemma sum_symmetric M g : (forall k, k <= M -> g (M - k) = g k) -> sum (S M) (fun r => g (r / 2)) = sum (S M) g.
Proof.
  intros H. pose proof (half_bounds M) as HB. set (K := M / 2) in *.
  assert (C : M = 2 * K \/ M = 2 * K + 1) by lia. destruct C as [E | E].
  - cbn [sum]. rewrite E at 1. rewrite sum_pairs. fold K.
    assert (R : sum M g + g M = sum K g + g K + sum K g); [| lia].
    change (sum M g + g M) with (sum (S M) g). replace (S M) with (S K + K) by lia. rewrite sum_split. cbn [sum]. f_equal.
    rewrite (sum_reverse K g). apply sum_ext. intros i Hi. rewrite <- (H (K - 1 - i)) by lia. f_equal. lia.
  - replace (S M) with (2 * (S K)) at 1 by lia. rewrite sum_pairs. replace (S M) with (S K + S K) by lia.
    rewrite sum_split. assert (R : sum (S K) (fun i => g (S K + i)) = sum (S K) g); [| lia].
    rewrite (sum_reverse (S K) g). apply sum_ext. intros i Hi. rewrite <- (H (S K - 1 - i)) by lia. f_equal. lia.
Qed.

(* The index of the first set of the chain that contains e. *)
Definition height_in (c : list (list bool)) (e : nat) : nat := length (filter (fun A => negb (nth e A false)) c).

Lemma height_in_spec c e t : StronglySorted subset c -> t < length c ->
  nth e (nth t c []) false = (height_in c e <=? t).
Proof.
  intros S. revert t. unfold height_in. induction S as [|A c S IH F]; intros t Ht; [cbn in Ht; lia |].
  cbn [filter]. destruct (nth e A false) eqn:E; cbn [negb].
  - assert (Z : filter (fun A0 => negb (nth e A0 false)) c = []).
    { clear - F E. induction F as [|B c HB F IH]; auto. cbn. rewrite (HB e E). auto. }
    rewrite Z. cbn [length Nat.leb]. destruct t; auto. cbn. rewrite Forall_forall in F. apply F; auto.
    apply nth_In. cbn in Ht. lia.
  - destruct t; cbn [nth length]. { now rewrite E. } cbn in Ht. apply IH. lia.
Qed.

(* l functions on M examples ("values", smaller than W) and a list of sets, without repetitions, that they cut off. *)
Definition cuts_off (l M W : nat) (values : nat -> nat -> nat) (sets : list (list bool)) : Prop :=
  NoDup sets /\ (forall i e, values i e < W) /\
  forall A, In A sets -> length A = M /\ exists i t, i < l /\ t < W /\ forall e, e < M -> nth e A false = (values i e <=? t).

Theorem most_cuts :
  forall l M : nat, exists values sets,
  cuts_off l M (M + 2) values sets /\ length sets = sum (S M) (fun k => Nat.min l (binomial M k)).
Proof.
  intros l M.
  set (L := by_length (chains M)).
  assert (P : Permutation (chains M) L) by apply by_length_permutation.
  assert (LB : forall c, In c L -> length c <= M + 1).
  { intros c Hc. destruct (le_lt_dec (length c) (M + 1)); auto. exfalso.
    assert (Hc' : In c (chains M)) by (eapply Permutation_in; [symmetry; exact P | exact Hc]).
    pose proof (count_long_chains M (length c)) as H. destruct (Nat.leb_spec (length c) (M + 1)); [lia |].
    assert (H' : In c (filter (fun d => length c <=? length d) (chains M))) by (apply filter_In; split; auto; apply Nat.leb_refl).
    unfold count_long in H. destruct (filter (fun d => length c <=? length d) (chains M)); [destruct H' |]. cbn in H. lia. }
  assert (IF : forall c, In c (firstn l L) -> In c L).
  { intros c Hc. rewrite <- (firstn_skipn l), in_app_iff. auto. }
  exists (fun i e => height_in (nth i L []) e), (concat (firstn l L)). split; [split; [| split] |].
  - assert (ND : NoDup (concat L)).
    { eapply Permutation_NoDup; [| apply (all_sets_NoDup M)]. rewrite <- (chains_concat M).
      clear - P. induction P; cbn; auto; [now apply Permutation_app_head | | etransitivity; eauto].
      rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
    rewrite <- (firstn_skipn l L), concat_app in ND. now apply NoDup_app_parts in ND.
  - intros i e. unfold height_in. destruct (le_lt_dec (length L) i) as [H | H].
    + rewrite nth_overflow by lia. cbn. lia.
    + specialize (LB (nth i L []) (nth_In _ _ H)). pose proof (filter_short (fun A => negb (nth e A false)) (nth i L [])). lia.
  - intros A HA. apply in_concat in HA as (c & Hc & HA). split.
    + apply all_sets_spec. eapply Permutation_in; [apply chains_concat |]. apply in_concat. exists c. split; auto.
      eapply Permutation_in; [symmetry; exact P | auto].
    + apply (In_nth _ _ []) in Hc as (i & Hi & Ec). apply (In_nth _ _ []) in HA as (t & Ht & EA).
      rewrite firstn_length in Hi. assert (E : nth i L [] = c).
      { rewrite <- Ec. clear - Hi. assert (H : i < l) by lia. clear Hi. revert i l H. induction L as [|d L' IH]; intros [|i] [|l] H; cbn; auto; try lia. apply IH. lia. }
      assert (Hc : In c L) by (rewrite <- E; apply nth_In; lia).
      exists i, t. split; [lia |]. split. { specialize (LB c Hc). lia. }
      intros e He. rewrite E, <- EA. apply height_in_spec; auto. apply (chains_sorted M). eapply Permutation_in; [symmetry; exact P | auto].
  - rewrite (concat_length_count _ (S M)).
    2:{ intros c Hc. specialize (LB c (IF c Hc)). lia. }
    rewrite (sum_ext _ _ (fun r => Nat.min l (binomial M ((M - r) / 2)))).
    + rewrite sum_reverse. rewrite (sum_ext _ _ (fun r => (fun k => Nat.min l (binomial M k)) (r / 2))).
      * apply (sum_symmetric M (fun k => Nat.min l (binomial M k))). intros. now rewrite binomial_symmetric.
      * intros. cbn beta. do 3 f_equal. lia.
    + intros r Hr. rewrite count_long_firstn by apply by_length_sorted. f_equal.
      rewrite <- (count_long_permutation _ _ _ P), count_long_chains by lia.
      destruct (Nat.leb_spec (S r) (M + 1)); [| lia]. do 2 f_equal. lia.
Qed.
