(* The growth bounds for every structure (chapters "Growth functions", "Features of several kinds").

   In words: decision trees with N internal nodes on l features with values in any linear order and n >= 2 classes
   realize at most n sum_j C(N, j) (2 (n - 1) l)^j C(m - 1, j) labelings of m >= 1 examples. If further features offer
   S partitions in all, they realize at most n sum_j C(N, j) (1 + 2 n S)^(N - j) (2 (n - 1) l)^j C(m - 1, j)
   labelings. If they shatter d >= 1 examples, then 2^d <= 2 sum_j C(N, j) (2 l)^j C(d - 1, j). *)

From Coq Require Import List Arith Lia.
From Treebounds Require Import Definitions Counting GrowthCore.
Import ListNotations.

(* ---- Values in a linear order are replaced by ranks ------------------------------------------------------------- *)

Section Ranks.
  Variable R : linear_order.
  Variable v : nat -> R.
  Variable m : nat.

  (* The rank of an example: the number of examples with a smaller value. Ties need no case of their own: a cut of the
     order with ties is a cut of the order by rank. *)
  Definition smaller (y x : nat) : bool := negb (le R (v x) (v y)).

  Definition position (x : nat) : nat := length (filter (fun y => smaller y x) (seq 0 m)).

  Lemma threshold_position t x : In x (seq 0 m) ->
    le R (v x) t = (position x <? length (filter (fun y => le R (v y) t) (seq 0 m))).
  Proof.
    intros Hx. symmetry. destruct (le R (v x) t) eqn:E.
    - apply Nat.ltb_lt. apply (filter_length_lt _ _ _ x); auto.
      + intros y _ Hy. unfold smaller in Hy. destruct (le_total R (v x) (v y)) as [H | H].
        * rewrite H in Hy. discriminate.
        * eapply le_transitive; eauto.
      + unfold smaller. destruct (le_total R (v x) (v x)) as [-> | ->]; reflexivity.
    - apply Nat.ltb_ge. apply filter_length_le. intros y _ Hy. unfold smaller.
      destruct (le R (v x) (v y)) eqn:E'; auto. rewrite (le_transitive R _ _ _ E' Hy) in E. discriminate.
  Qed.
End Ranks.

(* ---- The growth bounds ------------------------------------------------------------------------------------------- *)

Lemma length_of_covered {X} (Y : list X) E : NoDup Y -> incl Y E -> length Y <= length E.
Proof. apply NoDup_incl_length. Qed.

Lemma map_nth_in_seq {Y} (f : nat -> Y) M e d : e < M -> nth e (map f (seq 0 M)) d = f e.
Proof. intros H. rewrite (nth_indep _ d (f 0)) by (now rewrite map_length, seq_length). rewrite map_nth, seq_nth; auto. Qed.

Lemma map_nth_seq {X} (L : list X) d : map (fun i => nth i L d) (seq 0 (length L)) = L.
Proof. induction L as [|x L IH]; auto. cbn. f_equal. now rewrite <- seq_shift, map_map. Qed.

Section Kinds.
  Variable X : Type.
  Variable R : linear_order.
  Variable real : X -> nat -> R.
  Variables n l : nat.
  Hypothesis n_classes : 2 <= n.
  Variable finite : list (test X).
  Variable sample : list X.
  Variable default : X.

  Let m := length sample.
  Let at_ (i : nat) : X := nth i sample default.
  Let rank (i : nat) (x : nat) : nat := position R (fun y => real (at_ y) i) m x.
  Let finite_at := map (fun (q : test X) x => q (at_ x)) finite.

  Lemma tree_labels T s A : incl A (seq 0 m) -> has_structure (threshold_or_finite_test R real l finite) n T s ->
    labels n l rank finite_at (seq 0 m) s A (fun x => evaluate T (at_ x)).
  Proof.
    intros HA H. revert A HA. induction H as [c Hc | q T1 T2 a b Hq _ IH1 _ IH2 | q T1 T2 a b Hq _ IH1 _ IH2]; intros A HA.
    { exists c. cbn. auto. }
    all: cbn [labels]; exists (fun x => q (at_ x)).
    all: assert (Ip : incl (part (fun x => q (at_ x)) A) (seq 0 m)) by (intros x Hx; apply filter_In in Hx as [Hx _]; auto).
    all: assert (Ir : incl (rest (fun x => q (at_ x)) A) (seq 0 m)) by (intros x Hx; apply filter_In in Hx as [Hx _]; auto).
    all: assert (E1 : forall s f g P, (forall x, In x P -> f x = g x) -> labels n l rank finite_at (seq 0 m) s P f ->
           labels n l rank finite_at (seq 0 m) s P g).
    1, 3: clear; intros s; induction s as [|a IHa b IHb]; intros f g P H;
      [intros (c & Hc & Hf); exists c; split; auto; intros x Hx; rewrite <- H; auto |
       intros (q & Hq & Hf); exists q; split; auto;
       destruct Hf as [[? ?] | [? ?]]; [left | right];
       (split; [eapply IHa || eapply IHb | eapply IHb || eapply IHa]; try eassumption;
        intros x Hx; apply H; apply filter_In in Hx; tauto)].
    all: split; [
      destruct Hq as [(i & t & Hi & Hq) | (p & Hp & Hq)];
      [left; exists i; eexists; split; [exact Hi | intros x Hx; rewrite Hq;
         exact (threshold_position R (fun y => real (at_ y) i) m t x Hx)]
      | right; exists (fun x => p (at_ x)); split; [apply in_map_iff; exists p; auto | intros; apply Hq]] |].
    1: left. 2: right.
    all: split; [eapply E1; [| apply (IH1 _ Ip)] | eapply E1; [| apply (IH2 _ Ir)]]; intros x Hx;
      apply filter_In in Hx as [_ Hx]; cbn; destruct (q (at_ x)); auto; discriminate.
  Qed.

  Lemma few_realized s labelings : 1 <= m -> NoDup labelings ->
    (forall y, In y labelings -> realizes (threshold_or_finite_test R real l finite) n s sample y) ->
    length labelings <= n * b (1 + 2 * n * length finite) (2 * (n - 1) * l) (internal_nodes s) (m - 1).
  Proof.
    intros Hm ND H.
    destruct (few_labels n l n_classes rank finite_at (seq 0 m) s (seq 0 m)) as (E & HE & HF).
    - apply seq_NoDup. - apply incl_refl. - destruct m; [lia | discriminate].
    - rewrite seq_length in HE. unfold u, w, finite_at in HE. rewrite map_length in HE.
      etransitivity; [| exact HE]. rewrite <- (map_length (fun g => map g (seq 0 m))).
      apply NoDup_incl_length; auto. intros y Hy. destruct (H y Hy) as (T & HT & <-).
      destruct (HF (fun x => evaluate T (at_ x))) as (g & Hg & Ag). { apply tree_labels; auto. apply incl_refl. }
      apply in_map_iff. exists g. split; auto. rewrite <- (map_ext_in _ _ _ Ag).
      rewrite <- (map_map at_ (evaluate T)). f_equal. apply map_nth_seq.
  Qed.
End Kinds.

(* Theorem: real-valued features and features with finitely many values together. *)
Theorem growth_bound_kinds :
  forall (X : Type) (R : linear_order) (real : X -> nat -> R) (l : nat) (finite : list (test X)) (n m : nat) (s : structure),
  2 <= n -> 1 <= m ->
  growth_at_most (threshold_or_finite_test R real l finite) n s m
    (n * sum (S (internal_nodes s)) (fun j => binomial (internal_nodes s) j
       * (1 + 2 * n * length finite) ^ (internal_nodes s - j) * (2 * (n - 1) * l) ^ j * binomial (m - 1) j)).
Proof.
  intros X R real l finite n m s Hn Hm sample labelings HL ND H.
  destruct sample as [|x sample]; [cbn in HL; lia |].
  subst m. pose proof (few_realized X R real n l Hn finite (x :: sample) x s labelings Hm ND H) as B.
  rewrite b_closed in B. exact B.
Qed.

Lemma has_structure_weaken {X} (P Q : test X -> Prop) n T s :
  (forall q, P q -> Q q) -> has_structure P n T s -> has_structure Q n T s.
Proof. intros H. induction 1; [constructor | constructor 2 | constructor 3]; auto. Qed.

(* Theorem: the growth bound for l features with values in a linear order, n classes, every m. *)
Theorem growth_bound :
  forall (R : linear_order) (l n m : nat) (s : structure), 2 <= n -> 1 <= m ->
  growth_at_most (threshold_test R l) n s m
    (n * sum (S (internal_nodes s)) (fun j => binomial (internal_nodes s) j * (2 * (n - 1) * l) ^ j * binomial (m - 1) j)).
Proof.
  intros R l n m s Hn Hm sample labelings HL ND H.
  pose proof (growth_bound_kinds (nat -> R) R (fun x => x) l [] n m s Hn Hm sample labelings HL ND) as B.
  replace (1 + 2 * n * length (@nil (test (nat -> R)))) with 1 in B by (cbn; lia).
  rewrite (sum_ext _ (fun j => _ * 1 ^ _ * _ * _) (fun j => binomial (internal_nodes s) j * (2 * (n - 1) * l) ^ j * binomial (m - 1) j)) in B
    by (intros; rewrite Nat.pow_1_l; lia).
  apply B. intros y Hy. destruct (H y Hy) as (T & HT & E). exists T. split; auto.
  eapply has_structure_weaken; [| exact HT]. intros q Hq. now left.
Qed.

(* All labelings of d examples with n classes. *)
Fixpoint all_labelings (n d : nat) : list (list nat) :=
  match d with 0 => [[]] | S d' => flat_map (fun c => map (cons c) (all_labelings n d')) (seq 0 n) end.

Lemma all_labelings_length n d : length (all_labelings n d) = n ^ d.
Proof.
  induction d; auto. cbn [all_labelings]. rewrite (flat_map_length_constant (n ^ d)), seq_length; [reflexivity |].
  intros. now rewrite map_length.
Qed.

Lemma all_labelings_spec n d y : In y (all_labelings n d) <-> length y = d /\ Forall (fun c => c < n) y.
Proof.
  revert y. induction d; intros y; cbn.
  - split. { intros [<- | []]. auto. } intros [H _]. destruct y; [auto | discriminate].
  - rewrite in_flat_map. split.
    + intros (c & Hc & Hy). apply in_map_iff in Hy as (z & <- & Hz). apply IHd in Hz as [? ?]. apply in_seq in Hc.
      cbn. split; auto. constructor; auto. lia.
    + intros [HL HF]. destruct y as [|c z]; [discriminate |]. inversion HF; subst. exists c. rewrite in_seq. split; [lia |].
      apply in_map. apply IHd. cbn in HL. auto.
Qed.

Lemma all_labelings_NoDup n d : NoDup (all_labelings n d).
Proof.
  induction d; cbn. { constructor; auto. constructor. }
  apply NoDup_flat_map.
  - apply seq_NoDup.
  - intros. apply NoDup_map_injective; auto. intros. congruence.
  - intros c c' y _ _ H H'. apply in_map_iff in H as (? & <- & _), H' as (? & E & _). congruence.
Qed.

(* A bound of the growth function bounds the VC dimension. *)
Lemma shattered_growth {X} (allowed : test X -> Prop) s sample K :
  growth_at_most allowed 2 s (length sample) K -> shattered allowed s sample -> 2 ^ length sample <= K.
Proof.
  intros G H. rewrite <- all_labelings_length. apply (G sample); auto using all_labelings_NoDup.
  intros y Hy. apply all_labelings_spec in Hy as [? ?]. auto.
Qed.

(* Theorem, upper side: every shattered sample of d >= 1 examples has 2^d <= 2 sum_j C(N, j) (2 l)^j C(d - 1, j). *)
Theorem VC_dimension_upper_bound :
  forall (R : linear_order) (l : nat) (s : structure) (sample : list (nat -> R)),
  shattered (threshold_test R l) s sample -> 1 <= length sample ->
  2 ^ length sample <= 2 * sum (S (internal_nodes s)) (fun j =>
    binomial (internal_nodes s) j * (2 * l) ^ j * binomial (length sample - 1) j).
Proof.
  intros R l s sample H Hd. exact (shattered_growth _ s sample _ (growth_bound R l 2 (length sample) s (le_n 2) Hd) H).
Qed.

(* Mirror images do not matter: equal unordered structures realize the same labelings. *)
Theorem mirror_images_realize_the_same :
  forall (X : Type) (allowed : test X -> Prop) (n : nat) (s s' : structure), same_structure s s' ->
  forall sample y, realizes allowed n s sample y <-> realizes allowed n s' sample y.
Proof.
  intros X allowed n s s' H.
  assert (G : forall T, has_structure allowed n T s <-> has_structure allowed n T s').
  { induction H as [| a b a' b' _ IHa _ IHb | a b a' b' _ IHa _ IHb]; intros T; [reflexivity | |].
    - split; intros HT; inversion HT; subst.
      + constructor 2; auto; [now apply IHa | now apply IHb].
      + constructor 3; auto; [now apply IHb | now apply IHa].
      + constructor 2; auto; [now apply IHa | now apply IHb].
      + constructor 3; auto; [now apply IHb | now apply IHa].
    - split; intros HT; inversion HT; subst.
      + constructor 3; auto; [now apply IHa | now apply IHb].
      + constructor 2; auto; [now apply IHb | now apply IHa].
      + constructor 3; auto; [now apply IHb | now apply IHa].
      + constructor 2; auto; [now apply IHa | now apply IHb]. }
  intros. split; intros (T & HT & E); exists T; (split; [apply G; exact HT | exact E]).
Qed.

