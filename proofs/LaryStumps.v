(* Theorem 5 of Yildiz (2012), on nodes with a branch for each value (chapter "The VC dimension on features with several values").

   In words: a node tests one of d features, the i-th with L_i values, and has a leaf for each value of its feature.
   If such nodes shatter m >= 1 examples, then 2^(m - 1) <= 1 + sum_i (2^(L_i - 1) - 1). The theorem as printed states
   that the VC dimension is the largest such m. For three features with 2, 3 and 3 values this m is 4, but nodes on
   these features shatter no sample of four examples. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting GrowthBound.
Import ListNotations.

(* An example on d features: the value of each. A node tests a feature i and has a label for each of its values. *)
Definition node_realizes (d : nat) (sample : list (nat -> nat)) (y : list nat) : Prop :=
  exists i labels, i < d /\ Forall (fun c => c < 2) labels /\ map (fun x => nth (x i) labels 0) sample = y.

Definition node_shatters (d : nat) (sample : list (nat -> nat)) : Prop :=
  forall y, length y = length sample -> Forall (fun c => c < 2) y -> node_realizes d sample y.

(* Feature i has the values 0, ..., L i - 1. *)
Definition has_values (d : nat) (L : nat -> nat) (sample : list (nat -> nat)) : Prop :=
  forall x i, In x sample -> i < d -> x i < L i.

(* ---- The upper bound ----------------------------------------------------------------------------------------------------- *)

Definition constant (y : list nat) : bool := forallb (fun c => c =? 0) y || forallb (fun c => c =? 1) y.

Lemma all_equal (c : nat) y : Forall (eq c) y -> y = repeat c (length y).
Proof. induction y as [|b y IH]; intros H; auto. inversion H; subst. cbn [length repeat]. f_equal. auto. Qed.

Lemma constant_spec y : constant y = true -> y = repeat 0 (length y) \/ y = repeat 1 (length y).
Proof.
  unfold constant. rewrite orb_true_iff, !forallb_forall. intros [H | H]; [left | right]; apply all_equal, Forall_forall;
    intros c Hc; specialize (H c Hc); apply Nat.eqb_eq in H; congruence.
Qed.

Lemma constant_repeat c n : c < 2 -> constant (repeat c n) = true.
Proof.
  intros H. unfold constant. apply orb_true_iff. assert (C : c = 0 \/ c = 1) by lia.
  destruct C as [-> | ->]; [left | right]; apply forallb_forall; intros x Hx; apply repeat_spec in Hx; now subst.
Qed.

Definition splits (n : nat) : list (list nat) := filter (fun y => negb (constant y)) (all_labelings 2 n).

Lemma splits_labelings n y : In y (splits n) -> In y (all_labelings 2 n).
Proof. intros H. now apply filter_In in H. Qed.

Lemma splits_length n : 1 <= n -> length (splits n) + 2 <= 2 ^ n.
Proof.
  intros Hn. rewrite <- all_labelings_length.
  replace (length (splits n) + 2) with (length (repeat 0 n :: repeat 1 n :: splits n)) by (cbn [length]; lia).
  assert (NI : forall c, c < 2 -> ~ In (repeat c n) (splits n)).
  { intros c Hc H. apply filter_In in H as [_ H]. rewrite constant_repeat in H by auto. discriminate. }
  apply NoDup_incl_length.
  - constructor; [| constructor; [now apply NI; lia | apply NoDup_filter, all_labelings_NoDup]].
    intros [H | H]; [| revert H; now apply NI; lia]. destruct n; [lia |]. cbn in H. discriminate.
  - intros y Hy. assert (R : forall c, c < 2 -> In (repeat c n) (all_labelings 2 n)).
    { intros c Hc. apply all_labelings_spec. rewrite repeat_length. split; auto. apply Forall_forall.
      intros x Hx. apply repeat_spec in Hx. now subst. }
    destruct Hy as [<- | [<- | Hy]]; [apply R; lia | apply R; lia |]. now apply filter_In in Hy.
Qed.

Lemma sum_flat_map {X} (F : nat -> list X) G d : (forall i, i < d -> length (F i) <= G i) ->
  length (flat_map F (seq 0 d)) <= sum d G.
Proof.
  intros H. induction d as [|d IH]; [cbn; lia |]. rewrite seq_S, flat_map_app, app_length. cbn [sum flat_map Nat.add].
  rewrite app_nil_r. specialize (H d (le_n _)) as Hd. specialize (IH (fun i Hi => H i (Nat.lt_lt_succ_r _ _ Hi))). lia.
Qed.

Theorem node_upper_bound :
  forall (d : nat) (L : nat -> nat) (sample : list (nat -> nat)), 1 <= length sample -> has_values d L sample ->
  node_shatters d sample -> 2 ^ (length sample - 1) <= sum d (fun i => 2 ^ (L i - 1) - 1) + 1.
Proof.
  intros d L sample Hm HV H. set (m := length sample) in *.
  set (made := fun i => map (fun labels => map (fun x : nat -> nat => nth (x i) labels 0) sample) (splits (L i))).
  assert (P : forall i, i < d -> 1 <= L i).
  { intros i Hi. unfold m in Hm. destruct sample as [|x S]; [cbn in Hm; lia |]. specialize (HV x i (or_introl eq_refl) Hi). lia. }
  assert (I : incl (all_labelings 2 m) (repeat 0 m :: repeat 1 m :: flat_map made (seq 0 d))).
  { intros y Hy. apply all_labelings_spec in Hy as [HL HF]. destruct (H y HL HF) as (i & labels & Hi & HB & E).
    set (own := map (fun v => nth v labels 0) (seq 0 (L i))).
    assert (E' : map (fun x : nat -> nat => nth (x i) own 0) sample = y).
    { rewrite <- E. apply map_ext_in. intros x Hx. unfold own. apply (map_nth_in_seq (fun v => nth v labels 0)). now apply HV. }
    assert (LO : length own = L i) by (unfold own; now rewrite map_length, seq_length).
    assert (BO : Forall (fun c => c < 2) own).
    { unfold own. apply Forall_map, Forall_forall. intros v _. rewrite Forall_forall in HB.
      destruct (nth_in_or_default v labels 0) as [N | ->]; [now apply HB | lia]. }
    destruct (constant own) eqn:C.
    - assert (K : exists c, c < 2 /\ own = repeat c (L i)).
      { apply constant_spec in C. rewrite LO in C. destruct C as [C | C]; [exists 0 | exists 1]; auto. }
      destruct K as (c & Hc & K).
      assert (Y : y = repeat c m).
      { unfold m. rewrite <- (map_length (fun x : nat -> nat => nth (x i) own 0) sample), E'. apply all_equal, Forall_forall.
        intros b Hb. rewrite <- E' in Hb. apply in_map_iff in Hb as (x & <- & Hx). rewrite K. symmetry.
        eapply repeat_spec, nth_In. rewrite repeat_length. now apply HV. }
      destruct c as [|[|c]]; [left | right; left | lia]; auto.
    - right. right. apply in_flat_map. exists i. split; [apply in_seq; lia |]. apply in_map_iff. exists own. split; auto.
      apply filter_In. split; [now apply all_labelings_spec | now rewrite C]. }
  apply NoDup_incl_length in I; [| apply all_labelings_NoDup]. rewrite all_labelings_length in I. cbn [length] in I.
  pose proof (sum_flat_map made (fun i => 2 * (2 ^ (L i - 1) - 1)) d) as F. rewrite sum_mul in F.
  assert (HF : forall i, i < d -> length (made i) <= 2 * (2 ^ (L i - 1) - 1)).
  { intros i Hi. unfold made. rewrite map_length. pose proof (splits_length (L i) (P i Hi)) as S. specialize (P i Hi).
    replace (L i) with (Datatypes.S (L i - 1)) in S at 2 by lia. cbn [Nat.pow] in S. lia. }
  specialize (F HF). replace m with (S (m - 1)) in I at 1 by lia. cbn [Nat.pow] in I. lia.
Qed.

(* ---- Not an equality ------------------------------------------------------------------------------------------------------ *)

(* A feature with the values u on the examples can make the labeling y: equal values have equal labels. *)
Definition makes (u y : list nat) : bool :=
  forallb (fun p => forallb (fun q => implb (fst p =? fst q) (snd p =? snd q)) (combine u y)) (combine u y).

Lemma combine_map (f : nat -> nat) u : combine u (map f u) = map (fun v => (v, f v)) u.
Proof. induction u as [|v u IH]; auto. cbn [map combine]. now rewrite IH. Qed.

Lemma makes_map f u : makes u (map f u) = true.
Proof.
  unfold makes. rewrite combine_map. apply forallb_forall. intros p Hp. apply forallb_forall. intros q Hq.
  apply in_map_iff in Hp as (v & <- & _), Hq as (w & <- & _). cbn [fst snd].
  destruct (Nat.eqb_spec v w) as [-> |]; [rewrite Nat.eqb_refl |]; reflexivity.
Qed.

Fixpoint misses (a b c : list bool) : bool :=
  match a, b, c with
  | x :: a', y :: b', z :: c' => negb (x || y || z) || misses a' b' c'
  | _, _, _ => false
  end.

Lemma misses_spec (f g h : list nat -> bool) ys : misses (map f ys) (map g ys) (map h ys) = true ->
  exists y, In y ys /\ f y = false /\ g y = false /\ h y = false.
Proof.
  induction ys as [|y ys IH]; cbn [map misses]; [discriminate |]. rewrite orb_true_iff. intros [H | H].
  - exists y. apply negb_true_iff in H. apply orb_false_iff in H as [H H3]. apply orb_false_iff in H as [H1 H2].
    repeat split; auto. now left.
  - destruct (IH H) as (z & Hz & F). exists z. split; [now right | exact F].
Qed.

(* The splits of four examples that a feature with L values can make, for all its values on them. *)
Definition table (L : nat) : list (list bool) := map (fun u => map (makes u) (splits 4)) (all_labelings L 4).

Definition all_miss (A B : list (list bool)) : bool :=
  forallb (fun a => forallb (fun b => forallb (misses a b) B) B) A.

Lemma all_miss_spec A B a b c : all_miss A B = true -> In a A -> In b B -> In c B -> misses a b c = true.
Proof.
  unfold all_miss. intros H Ha Hb Hc. rewrite forallb_forall in H. specialize (H a Ha).
  rewrite forallb_forall in H. specialize (H b Hb). rewrite forallb_forall in H. now apply H.
Qed.

Lemma every_choice_misses_one : all_miss (table 2) (table 3) = true.
Proof. vm_compute. reflexivity. Qed.

Theorem formula_of_theorem_5_is_not_attained :
  2 ^ (4 - 1) <= (2 ^ (2 - 1) - 1) + (2 ^ (3 - 1) - 1) + (2 ^ (3 - 1) - 1) + 1 /\
  forall sample : list (nat -> nat), length sample = 4 ->
  has_values 3 (fun i => match i with 0 => 2 | _ => 3 end) sample -> ~ node_shatters 3 sample.
Proof.
  split; [cbn; lia |]. intros sample H4 HV H. set (column := fun i => map (fun x : nat -> nat => x i) sample).
  assert (IN : forall i n, (forall x, In x sample -> x i < n) -> In (map (makes (column i)) (splits 4)) (table n)).
  { intros i n Hn. unfold table. apply in_map_iff. exists (column i). split; auto. apply all_labelings_spec. unfold column.
    rewrite map_length. split; auto. apply Forall_map, Forall_forall. exact Hn. }
  pose proof (all_miss_spec _ _ _ _ _ every_choice_misses_one (IN 0 2 (fun x Hx => HV x 0 Hx ltac:(lia)))
    (IN 1 3 (fun x Hx => HV x 1 Hx ltac:(lia))) (IN 2 3 (fun x Hx => HV x 2 Hx ltac:(lia)))) as N.
  clear IN HV.
  apply misses_spec in N as (y & Hy & N0 & N1 & N2). apply splits_labelings in Hy. apply all_labelings_spec in Hy as [Ly By].
  destruct (H y) as (i & labels & Hi & _ & E); [congruence | exact By |].
  assert (M : makes (column i) y = true).
  { rewrite <- E, <- (map_map (fun x : nat -> nat => x i) (fun v => nth v labels 0)). apply makes_map. }
  assert (C : i = 0 \/ i = 1 \/ i = 2) by lia. destruct C as [-> | [-> | ->]]; congruence.
Qed.
