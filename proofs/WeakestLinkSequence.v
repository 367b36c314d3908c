(* The weakest-link sequence of Breiman et al. (1984) (chapter "What is a leaf worth?").

   In words: from below, make nodes leaves if the leaf makes no more errors than the branch. Then, again and again up
   to the root, make all nodes leaves at which this costs the fewest additional errors per leaf saved. For every price
   of a leaf one of these trees minimizes errors + price * leaves among all prunings. So, with WeakestLink.v, one of
   them minimizes every bound with a price for each error and a concave penalty of the leaves that does not fall. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting WeakestLink.
Import ListNotations.

(* Errors times q plus leaves times p: the cost at the price p / q of a leaf, in whole numbers. *)
Definition cost (p q : nat) (T : grown_tree) : nat := q * errors_of T + p * leaves_of T.

(* Every node of the tree satisfies "condition", a statement about the errors of the node as a leaf and its branch. *)
Fixpoint at_nodes (condition : nat -> grown_tree -> Prop) (T : grown_tree) : Prop :=
  match T with
  | Grown_leaf _ => True
  | Grown_node e a b => condition e (Grown_node e a b) /\ at_nodes condition a /\ at_nodes condition b
  end.

(* No link is weaker than p / q: as a leaf a node would make at least p / q more errors per leaf saved. *)
Definition no_link_below (p q : nat) : grown_tree -> Prop := at_nodes (fun e T => cost p q T <= q * e + p).

(* All links of strength p / q, or less, are cut: their nodes become leaves. *)
Fixpoint cut_links (p q : nat) (T : grown_tree) : grown_tree :=
  match T with
  | Grown_leaf e => Grown_leaf e
  | Grown_node e a b =>
      if q * e + p <=? cost p q (Grown_node e a b) then Grown_leaf e else Grown_node e (cut_links p q a) (cut_links p q b)
  end.

(* First, from below, nodes become leaves if the leaf makes no more errors than the branch. *)
Fixpoint start (T : grown_tree) : grown_tree :=
  match T with
  | Grown_leaf e => Grown_leaf e
  | Grown_node e a b =>
      if e <=? errors_of (start a) + errors_of (start b) then Grown_leaf e else Grown_node e (start a) (start b)
  end.

(* Then, again and again, the weakest links are cut. *)
Inductive weakest_link_sequence (T : grown_tree) : grown_tree -> Prop :=
  | first : weakest_link_sequence T (start T)
  | next P p q : weakest_link_sequence T P -> 1 <= q -> no_link_below p q P -> cut_links p q P <> P ->
      weakest_link_sequence T (cut_links p q P).

(* ---- The cheapest pruning, from below ------------------------------------------------------------------------------------- *)

Fixpoint best (p q : nat) (T : grown_tree) : grown_tree :=
  match T with
  | Grown_leaf e => Grown_leaf e
  | Grown_node e a b =>
      if q * e + p <=? cost p q (best p q a) + cost p q (best p q b)
      then Grown_leaf e else Grown_node e (best p q a) (best p q b)
  end.

Lemma cost_leaf p q e : cost p q (Grown_leaf e) = q * e + p.
Proof. unfold cost. cbn [errors_of leaves_of]. lia. Qed.

Lemma cost_node p q e a b : cost p q (Grown_node e a b) = cost p q a + cost p q b.
Proof. unfold cost. cbn [errors_of leaves_of]. lia. Qed.

Lemma best_pruning p q T : In (best p q T) (prunings T).
Proof.
  induction T as [e | e a IHa b IHb]; cbn [best prunings]; [now left |].
  destruct (_ <=? _); [now left |]. right. apply in_flat_map. exists (best p q a). split; auto. now apply in_map.
Qed.

Lemma best_cost p q T Q : In Q (prunings T) -> cost p q (best p q T) <= cost p q Q.
Proof.
  revert Q. induction T as [e | e a IHa b IHb]; cbn [best prunings]; intros Q HQ.
  - destruct HQ as [<- | []]. lia.
  - assert (B : cost p q (if q * e + p <=? cost p q (best p q a) + cost p q (best p q b)
        then Grown_leaf e else Grown_node e (best p q a) (best p q b))
      = Nat.min (q * e + p) (cost p q (best p q a) + cost p q (best p q b))).
    { destruct (Nat.leb_spec (q * e + p) (cost p q (best p q a) + cost p q (best p q b))); rewrite ?cost_leaf, ?cost_node; lia. }
    rewrite B. destruct HQ as [<- | HQ]; [rewrite cost_leaf; lia |].
    apply in_flat_map in HQ as (a' & Ha & HQ). apply in_map_iff in HQ as (b' & <- & Hb). rewrite cost_node.
    specialize (IHa a' Ha). specialize (IHb b' Hb). lia.
Qed.

Lemma best_cheapest p q T : cheapest p q T (best p q T).
Proof. split; [apply best_pruning |]. intros Q HQ. now apply (best_cost p q). Qed.

Lemma cost_scale k p q T : cost (k * p) (k * q) T = k * cost p q T.
Proof. unfold cost. lia. Qed.

Lemma best_scale k p q T : 1 <= k -> best (k * p) (k * q) T = best p q T.
Proof.
  intros Hk. induction T as [e | e a IHa b IHb]; cbn [best]; auto. rewrite IHa, IHb, !cost_scale.
  assert (E : forall x y, (k * q * e + k * p <=? k * x + k * y) = (q * e + p <=? x + y)).
  { intros x y. apply eq_true_iff_eq. rewrite !Nat.leb_le. split; intros H; nia. }
  now rewrite E.
Qed.

Lemma leaves_positive T : 1 <= leaves_of T.
Proof. induction T; cbn; lia. Qed.

(* A higher price costs at least one leaf more. *)
Lemma best_grows p p' q T : p <= p' -> cost p q (best p q T) + (p' - p) <= cost p' q (best p' q T).
Proof.
  intros H. pose proof (best_cost p q T _ (best_pruning p' q T)) as B. unfold cost in *.
  pose proof (leaves_positive (best p' q T)). nia.
Qed.

Lemma best_of_best p p' q T : p <= p' -> best p' q (best p q T) = best p' q T.
Proof.
  intros H. induction T as [e | e a IHa b IHb]; cbn [best]; auto.
  destruct (Nat.leb_spec (q * e + p) (cost p q (best p q a) + cost p q (best p q b))) as [C | C].
  - cbn [best]. pose proof (best_grows p p' q a H). pose proof (best_grows p p' q b H).
    destruct (Nat.leb_spec (q * e + p') (cost p' q (best p' q a) + cost p' q (best p' q b))); [reflexivity | lia].
  - cbn [best]. now rewrite IHa, IHb.
Qed.

Lemma best_of_best_fraction p q p' q' T : 1 <= q -> 1 <= q' -> p * q' <= p' * q -> best p' q' (best p q T) = best p' q' T.
Proof.
  intros Hq Hq' H. rewrite <- (best_scale q' p q T), <- !(best_scale q p' q') by auto.
  rewrite (Nat.mul_comm q q'). apply best_of_best. lia.
Qed.

Lemma start_best T : start T = best 0 1 T.
Proof.
  induction T as [e | e a IHa b IHb]; cbn [start best]; auto. rewrite IHa, IHb. unfold cost.
  now rewrite !Nat.mul_0_l, !Nat.add_0_r, !Nat.mul_1_l.
Qed.

(* ---- One step of the sequence ---------------------------------------------------------------------------------------------- *)

Lemma cut_is_best p q T : no_link_below p q T -> cut_links p q T = best p q T /\ cost p q (best p q T) = cost p q T.
Proof.
  unfold no_link_below. induction T as [e | e a IHa b IHb]; cbn [at_nodes cut_links best]; auto.
  intros (H & Ha & Hb). destruct (IHa Ha) as [Ea Ca], (IHb Hb) as [Eb Cb]. rewrite Ea, Eb, Ca, Cb. rewrite cost_node in *.
  destruct (Nat.leb_spec (q * e + p) (cost p q a + cost p q b)); split; auto; rewrite ?cost_leaf, ?cost_node; lia.
Qed.

(* The links of a tree, as fractions a / (b + 1): additional errors per leaf saved. *)
Fixpoint links (T : grown_tree) : list (nat * nat) :=
  match T with
  | Grown_leaf _ => []
  | Grown_node e a b =>
      (e - (errors_of a + errors_of b), leaves_of a + leaves_of b - 2) :: links a ++ links b
  end.

(* Each node makes more errors as a leaf than its branch. *)
Definition links_positive : grown_tree -> Prop := at_nodes (fun e T => errors_of T < e).

Lemma at_nodes_links p q T : links_positive T ->
  (forall x, In x (links T) -> p * S (snd x) <= fst x * q) -> no_link_below p q T.
Proof.
  unfold links_positive, no_link_below. induction T as [e | e a IHa b IHb]; cbn [at_nodes links]; auto.
  intros (H & Ha & Hb) HL. split; [| split].
  - specialize (HL _ (or_introl eq_refl)). cbn [fst snd errors_of] in *. unfold cost. cbn [errors_of leaves_of].
    pose proof (leaves_positive a). pose proof (leaves_positive b). nia.
  - apply IHa; auto. intros x Hx. apply HL. right. apply in_app_iff. auto.
  - apply IHb; auto. intros x Hx. apply HL. right. apply in_app_iff. auto.
Qed.

(* If no link is as weak as the price, the tree is its own best pruning. *)
Lemma strong_links p q T : links_positive T ->
  (forall x, In x (links T) -> p * S (snd x) < fst x * q) -> best p q T = T.
Proof.
  unfold links_positive. induction T as [e | e a IHa b IHb]; cbn [at_nodes links best]; auto.
  intros (H & Ha & Hb) HL. rewrite IHa, IHb; auto; try (intros x Hx; apply HL; right; apply in_app_iff; auto).
  specialize (HL _ (or_introl eq_refl)). cbn [fst snd errors_of] in *. unfold cost.
  pose proof (leaves_positive a). pose proof (leaves_positive b).
  destruct (Nat.leb_spec (q * e + p) (q * errors_of a + p * leaves_of a + (q * errors_of b + p * leaves_of b))); auto. nia.
Qed.

(* A tree with a link of the price is not its own best pruning. *)
Lemma weak_link p q T x : links_positive T -> In x (links T) -> fst x * q <= p * S (snd x) -> best p q T <> T.
Proof.
  unfold links_positive. intros HP. revert x. induction T as [e | e a IHa b IHb]; cbn [at_nodes links best] in *; [easy |].
  destruct HP as (H & Ha & Hb). intros x Hx C.
  destruct (Nat.leb_spec (q * e + p) (cost p q (best p q a) + cost p q (best p q b))) as [D | D]; [discriminate |].
  intros E. injection E as Ea Eb. rewrite Ea, Eb in D. destruct Hx as [<- | Hx].
  - cbn [fst snd errors_of] in *. unfold cost in D. pose proof (leaves_positive a). pose proof (leaves_positive b). nia.
  - apply in_app_iff in Hx as [Hx | Hx]; [now apply (IHa Ha x) | now apply (IHb Hb x)].
Qed.

Lemma best_links p q T : 1 <= q -> links_positive T -> links_positive (best p q T).
Proof.
  intros Hq. unfold links_positive. induction T as [e | e a IHa b IHb]; cbn [at_nodes best]; auto. intros (H & Ha & Hb).
  destruct (Nat.leb_spec (q * e + p) (cost p q (best p q a) + cost p q (best p q b))) as [D | D]; cbn [at_nodes]; auto.
  repeat split; auto. unfold cost in D. cbn [errors_of].
  pose proof (leaves_positive (best p q a)). pose proof (leaves_positive (best p q b)). nia.
Qed.

Lemma start_links T : links_positive (start T).
Proof.
  unfold links_positive. induction T as [e | e a IHa b IHb]; cbn [start]; [exact I |].
  destruct (Nat.leb_spec e (errors_of (start a) + errors_of (start b))); cbn [at_nodes errors_of]; auto.
Qed.

Lemma pruning_leaves T Q : In Q (prunings T) -> leaves_of Q <= leaves_of T /\ (leaves_of Q = leaves_of T -> Q = T).
Proof.
  revert Q. induction T as [e | e a IHa b IHb]; cbn [prunings]; intros Q HQ.
  - destruct HQ as [<- | []]. auto.
  - destruct HQ as [<- | HQ].
    + cbn [leaves_of]. pose proof (leaves_positive a). pose proof (leaves_positive b). split; [lia |]. intros E. lia.
    + apply in_flat_map in HQ as (a' & Ha & HQ). apply in_map_iff in HQ as (b' & <- & Hb).
      destruct (IHa a' Ha) as [La Ea], (IHb b' Hb) as [Lb Eb]. cbn [leaves_of]. split; [lia |].
      intros E. rewrite Ea, Eb by lia. reflexivity.
Qed.

Lemma sequence_reaches p q T n : 1 <= q -> forall P, leaves_of P <= n -> links_positive P ->
  weakest_link_sequence T P -> best p q P = best p q T -> weakest_link_sequence T (best p q T).
Proof.
  intros Hq. induction n as [|n IH]; intros P Ln LP HP E; [pose proof (leaves_positive P); lia |].
  destruct (links P) as [|x R] eqn:EL.
  - rewrite <- E, strong_links; auto. rewrite EL. intros y [].
  - destruct (smallest x R) as ([a b] & Hy & H). rewrite <- EL in *. cbn [fst snd] in *.
    destruct (Nat.le_gt_cases (a * q) (p * S b)) as [C | C].
    + assert (N : no_link_below a (S b) P). { apply at_nodes_links; auto. }
      destruct (cut_is_best _ _ _ N) as [EC _].
      assert (W : cut_links a (S b) P <> P). { rewrite EC. apply (weak_link _ _ _ (a, b)); auto. }
      apply (IH (cut_links a (S b) P)).
      * rewrite EC in *. destruct (pruning_leaves P _ (best_pruning a (S b) P)) as [L1 L2].
        destruct (Nat.eq_dec (leaves_of (best a (S b) P)) (leaves_of P)) as [F |]; [now apply L2 in F | lia].
      * rewrite EC. apply best_links; auto. lia.
      * apply next; auto. lia.
      * rewrite EC, <- E. apply best_of_best_fraction; lia.
    + rewrite <- E, strong_links; auto. intros y Hz. specialize (H y Hz). destruct y as [a' b']. cbn [fst snd] in *. nia.
Qed.

Theorem weakest_link_sequence_has_a_cheapest_pruning_at_every_price :
  forall (p q : nat) (T : grown_tree), 1 <= q -> exists P, weakest_link_sequence T P /\ cheapest p q T P.
Proof.
  intros p q T Hq. exists (best p q T). split; [| apply best_cheapest].
  apply (sequence_reaches p q T (leaves_of (start T)) Hq (start T)); auto.
  - apply start_links.
  - apply first.
  - rewrite start_best. apply best_of_best_fraction; lia.
Qed.

(* The weakest-link theorem. *)
Theorem minimizer_in_the_weakest_link_sequence :
  forall (V : ordered_costs) (c : V) (penalty increment : nat -> V) (T : grown_tree),
  le V c (zero V) = false ->
  (forall L, penalty (S L) = plus V (penalty L) (increment L)) ->
  (forall L, le V (zero V) (increment L) = true) ->
  (forall L, le V (increment (S L)) (increment L) = true) ->
  exists P, weakest_link_sequence T P /\ In P (prunings T) /\
    forall Q, In Q (prunings T) -> le V (bound c penalty P) (bound c penalty Q) = true.
Proof.
  intros V c f d T Hc Hs Hg Hd. destruct (minimizer_is_cheapest_at_a_price V c f d T Hc Hs Hg Hd) as (p & q & Hp & Hq & _ & H).
  destruct (weakest_link_sequence_has_a_cheapest_pruning_at_every_price p q T Hq) as (P & HP & CP).
  exists P. split; [exact HP |]. split; [apply CP | now apply H].
Qed.
